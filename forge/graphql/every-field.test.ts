import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import {
  getNamedType,
  type GraphQLObjectType,
  isAbstractType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';

import { nodeId } from '../json/node-id.ts';
import { furnish, type FurnishedRepository } from '../testing/furnished-repository.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { createSchema } from './engine/executable-schema.ts';
import type { ExecutionLimits } from './engine/limits.ts';
import { allTypes } from './schema/all-types.ts';

const schema = createSchema<{ limits: ExecutionLimits }>(allTypes, {});

/** Values for the arguments that fields require. */
const argumentValues: Readonly<Record<string, string>> = {
  'Repository.ref': 'qualifiedName: "main"',
  'Repository.refs': 'refPrefix: "refs/heads/", first: 5',
  'Repository.object': 'expression: "main:README.md"',
  'Repository.label': 'name: "bug"',
  'Commit.blame': 'path: "a.txt"',
  'Status.context': 'name: "default"',
  'CheckRun.isRequired': 'pullRequestNumber: 1',
  'StatusContext.isRequired': 'pullRequestNumber: 1',
};

/** Every field of a type, and below it every field to this depth. Aliases keep fields of several types apart. */
function selectionOf(type: GraphQLObjectType, depth: number): string {
  const fields = Object.values(type.getFields()).flatMap((field): string[] => {
    const named = getNamedType(field.type);
    const path = `${type.name}.${field.name}`;
    const given = [
      argumentValues[path] ??
        field.args
          .filter(isRequiredArgument)
          .map(({ name, type: of }) => `${name}: ${String(of).startsWith('Int') ? '1' : '"x"'}`)
          .join(', '),
      argumentValues[path]?.includes('first') !== true &&
      field.args.some(({ name }) => name === 'first')
        ? 'first: 2'
        : '',
    ].filter((text) => text !== '');
    const values = given.length > 0 ? `(${given.join(', ')})` : '';
    const alias = `${type.name}_${field.name}`;
    if (isLeafType(named)) return [`${alias}: ${field.name}${values}`];
    if (depth === 0) return [];
    const below = isObjectType(named)
      ? selectionOf(named, depth - 1)
      : isAbstractType(named)
        ? schema
            .getPossibleTypes(named)
            .map((each) => `... on ${each.name} { __typename ${selectionOf(each, 0)} }`)
            .join(' ')
        : '';
    return below.trim() === '' ? [] : [`${alias}: ${field.name}${values} { __typename ${below} }`];
  });
  return fields.join('\n');
}

describe('every field', () => {
  let forge: TestForge;
  let owner: TestUser;
  let furnished: FurnishedRepository;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('owner');
    await forge.user('guest');
    await forge.organization(owner, 'acme');
    await owner.post('/orgs/acme/teams', { name: 'Crew' });
    furnished = await furnish(forge, owner, { name: 'things', private: true });
  });
  after(() => forge.close());

  const everything = async (id: string, typeName: string): Promise<void> => {
    const type = schema.getType(typeName);
    assert.ok(isObjectType(type), typeName);
    const selection = selectionOf(type, 2);
    const query = `query ($id: ID!) { node(id: $id) { kind: __typename ... on ${typeName} { ${selection} } } }`;
    const { body } = await owner.post('/graphql', { query, variables: { id } });
    const unexpected = (body.errors ?? []).filter(
      ({ type: kind }: { type?: string }) => kind !== 'NOT_FOUND',
    );
    assert.deepEqual(unexpected, [], JSON.stringify(unexpected).slice(0, 2000));
    assert.equal(body.data.node.kind, typeName);
  };

  test('of a repository and an account resolves', async () => {
    await everything(nodeId('Repository', furnished.id), 'Repository');
    await everything(nodeId('User', owner.account.id), 'User');
    const organization = await owner.get('/orgs/acme');
    await everything(organization.body.node_id, 'Organization');
    await everything((await owner.get('/orgs/acme/teams')).body[0].node_id, 'Team');
  });

  test('of issues, pulls and what belongs to them resolves', async () => {
    const at = `/repos/${furnished.fullName}`;
    for (const [path, type] of [
      ['/pulls/1', 'PullRequest'],
      ['/issues/2', 'Issue'],
      ['/labels/bug', 'Label'],
      ['/milestones/1', 'Milestone'],
      ['/releases/latest', 'Release'],
    ] as const) {
      await everything((await owner.get(`${at}${path}`)).body.node_id, type);
    }
    for (const [path, type] of [
      ['/issues/2/comments', 'IssueComment'],
      ['/pulls/1/reviews', 'PullRequestReview'],
      ['/pulls/1/comments', 'PullRequestReviewComment'],
    ] as const) {
      await everything((await owner.get(`${at}${path}`)).body[0].node_id, type);
    }
    const [comment] = (await owner.get(`${at}/pulls/1/comments`)).body;
    await everything(nodeId('PullRequestReviewThread', comment.id), 'PullRequestReviewThread');
  });

  test('of refs and git objects resolves', async () => {
    const at = `/repos/${furnished.fullName}`;
    const head = await owner.get(`${at}/git/ref/heads/topic`);
    await everything(head.body.node_id, 'Ref');
    const commit = await owner.get(`${at}/git/commits/${head.body.object.sha}`);
    await everything(commit.body.node_id, 'Commit');
    const tree = commit.body.tree.sha;
    await everything(nodeId('Tree', `${furnished.id}:${tree}`), 'Tree');
    const contents = await owner.get(`${at}/git/trees/${tree}`);
    await everything(nodeId('Blob', `${furnished.id}:${contents.body.tree[0].sha}`), 'Blob');
    const tag = furnished.parameter('/repos/:owner/:repo/git/tags/:tag_sha', 'tag_sha');
    await everything(nodeId('Tag', `${furnished.id}:${tag}`), 'Tag');
  });
});
