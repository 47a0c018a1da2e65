import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { schema as publishedTexts } from '@octokit/graphql-schema';
import {
  type ASTNode,
  buildSchema,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
  parse,
  TokenKind,
  validateSchema,
} from 'graphql';

import { createSchema } from './engine/executable-schema.ts';
import type { ExecutionLimits } from './engine/limits.ts';
import { mutationResolvers } from './resolvers/mutations.ts';
import { allResolvers } from './resolvers/roots.ts';
import { allTypes } from './schema/all-types.ts';
import { absentEvents } from './schema/timelines.ts';

describe('the schema', () => {
  const resolvers = allResolvers(mutationResolvers);
  const schema = createSchema<{ limits: ExecutionLimits }>(allTypes, {});
  const published = buildSchema(publishedTexts.idl, { assumeValidSDL: true });

  test('is valid, and each field of an object has a resolver', () => {
    assert.deepEqual(validateSchema(schema), []);
    const missing = Object.values(schema.getTypeMap()).flatMap((type) => {
      if (!isObjectType(type) || type.name.startsWith('__')) return [];
      if (/Connection$|Edge$|^PageInfo$|Payload$/.test(type.name)) return [];
      // Nothing here has objects of these types: fields of them are always null or empty.
      if (absent.has(type.name)) return [];
      return Object.keys(type.getFields())
        .filter((name) => !resolvers[type.name]?.[name])
        .map((name) => `${type.name}.${name}`);
    });
    assert.deepEqual(missing, []);
  });

  test('each resolver belongs to a field', () => {
    const unknown = Object.entries(resolvers).flatMap(([name, fields]) => {
      const type = schema.getType(name);
      if (!isObjectType(type)) return [name];
      const known = type.getFields();
      return Object.keys(fields).flatMap((field) => (known[field] ? [] : [`${name}.${field}`]));
    });
    assert.deepEqual(unknown, []);
  });

  test('differs from the published schema only where a comment says so', () => {
    const found = differences(schema, published);
    const names = commented(' Not in the published schema.');
    const isOf = (name: string, difference: string): boolean =>
      difference === name || difference.startsWith(`${name}:`);
    assert.deepEqual(
      found.filter((difference) => !names.some((name) => isOf(name, difference))),
      [],
    );
    assert.deepEqual(
      names.filter((name) => !found.some((difference) => isOf(name, difference))),
      [],
      'The published schema has it by now.',
    );
  });
});

const absent: ReadonlySet<string> = new Set([
  ...absentEvents,
  'BaseRefChangedEvent',
  'CodeOfConduct',
  'CommitContributionsByRepository',
  'CreatedCommitContribution',
  'CrossReferencedEvent',
  'FundingLink',
  'Gist',
  'GistFile',
  'HeadRefDeletedEvent',
  'IssueTemplate',
  'IssueType',
  'Language',
  'License',
  'MergeQueue',
  'MergeQueueConfiguration',
  'MergeQueueEntry',
  'Project',
  'ProjectCard',
  'ProjectColumn',
  'ProjectV2',
  'ProjectV2Item',
  'ProjectV2ItemFieldSingleSelectValue',
  'PullRequestCommitCommentThread',
  'PullRequestRevisionMarker',
  'PullRequestTemplate',
  'Reaction',
  'Release',
  'RepositoryContactLink',
  'RepositoryRule',
  'RepositoryRuleset',
  'SuggestedReviewer',
  'Workflow',
  'WorkflowRun',
]);

/** The types, fields and values with this comment on the line before them. */
function commented(comment: string): string[] {
  const isCommented = ({ loc }: ASTNode): boolean => {
    const before = loc?.startToken.prev;
    return before?.kind === TokenKind.COMMENT && before.value === comment;
  };
  return parse(allTypes).definitions.flatMap((definition) => {
    if (!('name' in definition) || definition.name === undefined) return [];
    const type = definition.name.value;
    const fields = 'fields' in definition ? (definition.fields ?? []) : [];
    const values = 'values' in definition ? (definition.values ?? []) : [];
    const marked = [...fields, ...values].filter(isCommented);
    return [
      ...(isCommented(definition) ? [type] : []),
      ...marked.map(({ name }) => `${type}.${name.value}`),
    ];
  });
}

function differences(ours: GraphQLSchema, published: GraphQLSchema): string[] {
  const found: string[] = [];
  const say = (what: string): void => {
    found.push(what);
  };
  for (const type of Object.values(ours.getTypeMap())) {
    if (type.name.startsWith('__')) continue;
    const theirs = published.getType(type.name);
    if (!theirs) say(type.name);
    else if (type.constructor !== theirs.constructor) say(`${type.name}: another kind`);
    else if (isEnumType(type) && isEnumType(theirs)) {
      for (const { name } of type.getValues())
        if (!theirs.getValue(name)) say(`${type.name}.${name}`);
    } else if (isUnionType(type) && isUnionType(theirs)) {
      const names = theirs.getTypes().map(({ name }) => name);
      for (const { name } of type.getTypes())
        if (!names.includes(name)) say(`${type.name} = ${name}`);
    } else if (isInputObjectType(type) && isInputObjectType(theirs)) {
      for (const field of Object.values(type.getFields())) {
        const other = theirs.getFields()[field.name];
        if (String(other?.type) !== String(field.type)) {
          say(`${type.name}.${field.name}: ${String(field.type)}, not ${String(other?.type)}`);
        }
      }
    } else if (
      (isObjectType(type) || isInterfaceType(type)) &&
      (isObjectType(theirs) || isInterfaceType(theirs))
    ) {
      const names = theirs.getInterfaces().map(({ name }) => name);
      for (const { name } of type.getInterfaces()) {
        if (!names.includes(name)) say(`${type.name} implements ${name}`);
      }
      for (const field of Object.values(type.getFields())) {
        const other = theirs.getFields()[field.name];
        const path = `${type.name}.${field.name}`;
        if (String(other?.type) !== String(field.type)) {
          say(`${path}: ${String(field.type)}, not ${String(other?.type)}`);
        }
        for (const argument of field.args) {
          const same = other?.args.find(({ name }) => name === argument.name);
          const [one, another] = [argument, same].map(
            (each) => each && `${String(each.type)} ${JSON.stringify(each.defaultValue)}`,
          );
          if (one !== another) say(`${path}(${argument.name}: ${one}, not ${another})`);
        }
      }
    }
  }
  return found;
}
