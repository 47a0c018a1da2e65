import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { schema as publishedTexts } from '@octokit/graphql-schema';
import {
  buildSchema,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
  validateSchema,
} from 'graphql';

import { createSchema } from './engine/executable-schema.ts';
import type { ExecutionLimits } from './engine/limits.ts';
import { mutationResolvers } from './resolvers/mutations.ts';
import { allResolvers } from './resolvers/roots.ts';
import { allTypes } from './schema/all-types.ts';
import { absentEvents } from './schema/timelines.ts';

/** Newer than the published package, of Enterprise Server only, or Hob's own. */
const notPublished: ReadonlySet<string> = new Set([
  'IssueType',
  'Issue.issueType',
  'Query.id',
  'Release.isLatest',
  'ReportedContentClassifiers.LOW_QUALITY',
]);

describe('the schema', () => {
  const resolvers = allResolvers(mutationResolvers);
  const schema = createSchema<{ limits: ExecutionLimits }>(allTypes, {});
  const published = buildSchema(publishedTexts.idl, { assumeValidSDL: true });

  test('is valid, and each field of an object has a resolver', () => {
    assert.deepEqual(validateSchema(schema), []);
    const lacking = Object.values(schema.getTypeMap()).flatMap((type) => {
      if (!isObjectType(type) || type.name.startsWith('__')) return [];
      if (/Connection$|Edge$|^PageInfo$|Payload$/.test(type.name)) return [];
      // Nothing here has objects of these types: fields of them are always null or empty.
      if (absent.has(type.name)) return [];
      return Object.keys(type.getFields())
        .filter((name) => !resolvers[type.name]?.[name])
        .map((name) => `${type.name}.${name}`);
    });
    assert.deepEqual(lacking, []);
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

  test('has nothing that the published schema has otherwise', () => {
    assert.deepEqual(differences(schema, published), []);
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

function differences(ours: GraphQLSchema, published: GraphQLSchema): string[] {
  const found: string[] = [];
  const say = (what: string): void => {
    if (![...notPublished].some((name) => what === name || what.startsWith(`${name}:`)))
      found.push(what);
  };
  for (const type of Object.values(ours.getTypeMap())) {
    if (type.name.startsWith('__')) continue;
    const theirs = published.getType(type.name);
    if (notPublished.has(type.name)) continue;
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
