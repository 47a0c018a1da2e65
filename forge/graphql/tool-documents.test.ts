import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import {
  getNamedType,
  type GraphQLField,
  type GraphQLNamedType,
  isAbstractType,
  isInterfaceType,
  isLeafType,
  isObjectType,
} from 'graphql';

import { queriedFields } from '../testing/queried-fields.ts';
import { furnish } from '../testing/furnished-repository.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { createSchema } from './engine/executable-schema.ts';
import type { ExecutionLimits } from './engine/limits.ts';
import { allTypes } from './schema/all-types.ts';

const schema = createSchema<{ limits: ExecutionLimits }>(allTypes, {});

/** The programs, by their letters in `queriedFields`. */
const programs: Readonly<Record<string, string>> = {
  gh: 'gn',
  'github-mcp-server': 'm',
  'VS Code': 'v',
  Renovate: 'r',
  'release-please': 'p',
  'semantic-release': 's',
  changesets: 'c',
  ghstack: 'h',
  spr: 'k',
  lazygit: 'l',
  'claude-code-action': 'a',
  OpenHands: 'o',
  agents: 'qx',
};

/** Values for the arguments that fields need. */
const argumentValues: Readonly<Record<string, string>> = {
  'Repository.issue': 'number: 2',
  'Repository.issueOrPullRequest': 'number: 1',
  'Repository.label': 'name: "bug"',
  'Repository.milestone': 'number: 1',
  'Repository.object': 'expression: "main"',
  'Repository.pullRequest': 'number: 1',
  'Repository.ref': 'qualifiedName: "refs/heads/main"',
  'Repository.refs': 'refPrefix: "refs/heads/", first: 1',
  'Repository.release': 'tagName: "v0"',
  'Commit.blame': 'path: "a.txt"',
  'CheckRun.isRequired': 'pullRequestNumber: 1',
  'StatusContext.isRequired': 'pullRequestNumber: 1',
  'Organization.team': 'slug: "crew"',
  'ProjectV2Item.fieldValueByName': 'name: "x"',
};

/** What a program asks for of a type, and below it of others that are not on the way to it. */
function selectionOf(type: GraphQLNamedType, letters: string, above: readonly string[]): string {
  const own = isObjectType(type) || isInterfaceType(type) ? ownSelection(type, letters, above) : '';
  if (!isAbstractType(type)) return own;
  const below = schema
    .getPossibleTypes(type)
    .map((each) => [each.name, ownSelection(each, letters, [...above, type.name])] as const)
    .filter(([, selection]) => selection !== '')
    .map(([name, selection]) => `... on ${name} { ${selection} }`);
  return [own, ...below].join('\n');
}

type FieldsOf = Extract<GraphQLNamedType, { getFields(): unknown; getInterfaces(): unknown }>;

function ownSelection(type: FieldsOf, letters: string, above: readonly string[]): string {
  // Each further level doubles the documents, and has no field that is not on one of these.
  if (above.includes(type.name) || above.length > 5) return '';
  const asked = (queriedFields[type.name] ?? '').split(', ').flatMap((each) => {
    const [field = '', by = ''] = each.split(' ');
    return letters.split('').some((letter) => by.includes(letter)) ? [field] : [];
  });
  return asked
    .flatMap((name) => {
      const field = type.getFields()[name];
      return field ? [fieldText(type.name, field, letters, [...above, type.name])] : [];
    })
    .join('\n');
}

function fieldText(
  typeName: string,
  field: GraphQLField<unknown, unknown>,
  letters: string,
  above: readonly string[],
): string {
  const named = getNamedType(field.type);
  const paged = field.args.some(({ name }) => name === 'first') ? 'first: 1' : '';
  const values = argumentValues[`${typeName}.${field.name}`] ?? paged;
  const call = values === '' ? field.name : `${field.name}(${values})`;
  if (isLeafType(named)) return call;
  return `${call} { __typename ${selectionOf(named, letters, above)} }`;
}

describe('documents with the fields that programs in use ask for', () => {
  let forge: TestForge;
  let owner: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    await forge.user('guest');
    await forge.organization(owner, 'acme');
    await owner.post('/orgs/acme/teams', { name: 'crew', privacy: 'closed' });
    await furnish(forge, owner, { name: 'room' });
    await owner.post('/repos/acme/room/issues/1/labels', { labels: ['bug'] });
    await owner.post('/repos/acme/room/issues/1/reactions', { content: 'eyes' });
  });
  after(() => forge.close());

  for (const [program, letters] of Object.entries(programs)) {
    test(`of ${program} are answered without errors`, async () => {
      const roots = [
        ['repository(owner: "acme", name: "room")', 'Repository'],
        ['viewer', 'User'],
        ['organization(login: "acme")', 'Organization'],
        ['search(query: "repo:acme/room", type: ISSUE, first: 1)', 'SearchResultItemConnection'],
      ] as const;
      for (const [call, typeName] of roots) {
        const type = schema.getType(typeName) ?? assert.fail(typeName);
        const selection = selectionOf(type, letters, []);
        if (selection.trim() === '') continue;
        const query = `{ ${call} { __typename ${selection} } }`;
        const { body } = await owner.post('/graphql', { query });
        assert.equal(body.errors, undefined, JSON.stringify(body.errors?.slice(0, 3)));
        assert.equal(Object.values(body.data).includes(null), false, call);
      }
    });
  }
});
