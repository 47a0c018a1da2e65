import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { getIntrospectionQuery, Kind } from 'graphql';

import { allTypes } from '../schema/all-types.ts';
import { checkVariableValues } from './coerce-variables.ts';
import { costOf } from './cost.ts';
import { createDocumentCache, operationOf } from './document-cache.ts';
import { DocumentError, type DocumentProblem } from './document-error.ts';
import { createSchema } from './executable-schema.ts';
import type { ExecutionLimits } from './limits.ts';

const schema = createSchema<{ limits: ExecutionLimits }>(allTypes, {});
const prepare = createDocumentCache(schema);

/** What is wrong with a document, up to its cost. */
function problemsOf(
  query: string,
  variables: Record<string, unknown> = {},
): readonly DocumentProblem[] {
  try {
    const prepared = prepare(query);
    const operation = operationOf(prepared, undefined);
    checkVariableValues(schema, operation, variables);
    costOf(prepared.planOf(operation).fields, variables);
    return [];
  } catch (error) {
    assert.ok(error instanceof DocumentError, String(error));
    return error.problems;
  }
}

describe('invalid documents', () => {
  const cases: readonly (readonly [query: string, code: string, message: string])[] = [
    ['{ viewer { nope } }', 'undefinedField', "Field 'nope' doesn't exist on type 'User'"],
    [
      '{ viewer(a: 1) { id } }',
      'argumentNotAccepted',
      "Field 'viewer' doesn't accept argument 'a'",
    ],
    [
      '{ repository(owner: "a") { id } }',
      'missingRequiredArguments',
      "Field 'repository' is missing required arguments: name",
    ],
    [
      '{ user(login: 7) { id } }',
      'argumentLiteralsIncompatible',
      "Argument 'login' on Field 'user' has an invalid value (7). Expected type 'String!'.",
    ],
    [
      '{ viewer { repositories(first: 1, privacy: SECRET) { totalCount } } }',
      'argumentLiteralsIncompatible',
      "Argument 'privacy' on Field 'repositories' has an invalid value (SECRET). Expected type 'RepositoryPrivacy'.",
    ],
    [
      '{ viewer { ... on Nope { id } } }',
      'undefinedType',
      "No such type Nope, so it can't be a fragment condition",
    ],
    [
      '{ viewer { ... on URI { id } } }',
      'fragmentOnNonCompositeType',
      'Invalid fragment on type URI (must be Union, Interface or Object)',
    ],
    [
      '{ viewer { ... on Team { id } } }',
      'cannotSpreadFragment',
      "Fragment on Team can't be spread inside User",
    ],
    ['{ viewer { ...none } }', 'useAndDefineFragment', 'Fragment none was used, but not defined'],
    [
      '{ viewer { id } } fragment spare on User { id }',
      'useAndDefineFragment',
      'Fragment spare was defined, but not used',
    ],
    [
      '{ viewer { ...a } } fragment a on User { ...b } fragment b on User { ...a }',
      'infiniteLoop',
      'Fragment a contains an infinite loop',
    ],
    [
      'query Mine($a: Int) { viewer { id } }',
      'variableNotUsed',
      'Variable $a is declared by Mine but not used',
    ],
    [
      '{ user(login: $a) { id } }',
      'variableNotDefined',
      'Variable $a is used by anonymous query but not declared',
    ],
    [
      'query ($a: Nope!) { user(login: $a) { id } }',
      'variableRequiresValidType',
      "Nope isn't a defined input type (on $a)",
    ],
    [
      'query ($a: String) { user(login: $a) { id } }',
      'variableMismatch',
      'Nullability mismatch on variable $a and argument login (String / String!)',
    ],
    [
      'query ($a: Int!) { user(login: $a) { id } }',
      'variableMismatch',
      'Type mismatch on variable $a and argument login (Int! / String!)',
    ],
    [
      'query ($a: ID!) { nodes(ids: $a) { id } }',
      'variableMismatch',
      'List dimension mismatch on variable $a and argument ids (ID! / [ID!]!)',
    ],
    [
      '{ viewer }',
      'selectionMismatch',
      "Field must have selections (field 'viewer' returns User but has no selections. Did you mean 'viewer { ... }'?)",
    ],
    [
      '{ viewer { login { id } } }',
      'selectionMismatch',
      "Selections can't be made on scalars (field 'login' returns String but has selections [\"id\"])",
    ],
    [
      '{ viewer { a: login a: name } }',
      'fieldConflict',
      "Field 'a' has a field conflict: login or name?",
    ],
    [
      '{ a: user(login: "x") { id } a: user(login: "y") { id } }',
      'fieldConflict',
      'Field \'a\' has an argument conflict: {login:"\\"x\\""} or {login:"\\"y\\""}?',
    ],
    ['{ viewer @nope { id } }', 'undefinedDirective', 'Directive @nope is not defined'],
    [
      'query A { viewer { id } } query A { viewer { id } }',
      'uniquelyNamedOperations',
      'Operation name "A" must be unique',
    ],
    [
      'mutation { convertPullRequestToDraft(input: {}) { clientMutationId } }',
      'missingRequiredInputObjectAttribute',
      "Argument 'pullRequestId' on InputObject 'ConvertPullRequestToDraftInput' is required. Expected type ID!",
    ],
  ];
  for (const [query, code, message] of cases) {
    test(`${code}: ${query}`, () => {
      const [problem] = problemsOf(query);
      assert.equal(problem?.message, message);
      assert.equal(problem.extensions?.['code'], code);
    });
  }

  test('problems name the way from the operation to the field', () => {
    const [problem] = problemsOf('query Q { r: repository(owner: "a", name: "b") { nope } }');
    assert.deepEqual(problem?.path, ['query Q', 'r', 'nope']);
    assert.deepEqual(problem.locations, [{ line: 1, column: 50 }]);
    assert.deepEqual(problem.extensions, {
      code: 'undefinedField',
      typeName: 'Repository',
      fieldName: 'nope',
    });
  });

  test('fields of different types may share a key, whatever their types', () => {
    const query = (one: string, other: string): string =>
      `{ repositoryOwner(login: "a") { ... on User { k: ${one} } ... on Organization { k: ${other} } } }`;
    assert.deepEqual(problemsOf(query('name', 'location')), []);
    assert.deepEqual(problemsOf(query('name', 'login')), []);
  });

  test('syntax errors say where', () => {
    assert.equal(problemsOf('{ viewer { login }')[0]?.message, 'Unexpected end of document');
    const [problem] = problemsOf('{ viewer !login }');
    assert.equal(problem?.message, 'Parse error on "!" at [1, 10]');
    assert.deepEqual(problem.locations, [{ line: 1, column: 10 }]);
  });
});

describe('variables', () => {
  const query =
    'query ($states: [IssueState!] = OPEN, $n: Int!) { repository(owner: "a", name: "b") { issues(first: $n, states: $states) { totalCount } } }';

  test('of other types are refused with what was expected', () => {
    assert.deepEqual(problemsOf(query, { n: 1 }), []);
    assert.deepEqual(problemsOf(query, { n: 1, states: 'CLOSED', surplus: true }), []);
    assert.match(
      problemsOf(query)[0]?.message ?? '',
      /^Variable \$n of type Int! was provided invalid value$/,
    );
    assert.equal(
      problemsOf(query, { n: 'x' })[0]?.message,
      'Variable $n of type Int! was provided invalid value',
    );
    const [problem] = problemsOf(query, { n: 1, states: ['OPEN', 'NOPE'] });
    assert.equal(
      problem?.message,
      'Variable $states of type [IssueState!] was provided invalid value for 1 (Expected "NOPE" to be one of: CLOSED, OPEN)',
    );
  });
});

describe('variables', () => {
  const query =
    'query ($states: [PullRequestState!]) { viewer { pullRequests(first: 1, states: $states) { totalCount } } }';

  // Each problem is an error with a trace: those of all would take half a minute.
  test('are refused soon for a long list of wrong values', () => {
    const states = Array.from({ length: 1_000_000 }, () => 'NONE');
    const started = performance.now();
    const [problem] = problemsOf(query, { states });
    assert.ok(Array.isArray(problem?.extensions?.['problems']));
    assert.equal(problem.extensions['problems'].length, 20);
    assert.ok(performance.now() - started < 10_000);
  });
});

describe('limits of documents', () => {
  test('those of release tools are accepted', () => {
    const aliases = Array.from(
      { length: 100 },
      (_, index) =>
        `c${index}: object(oid: "${String(index).padStart(40, '0')}") { ... on Commit { oid message
          associatedPullRequests(first: 100) { nodes { number title body url state merged mergedAt locked
            closed isDraft createdAt updatedAt author { login url } mergeCommit { oid }
            labels(first: 40) { nodes { id name color url description } }
            milestone { id title number url } } } } }`,
    );
    const query = `{ repository(owner: "a", name: "b") { ${aliases.join('\n')} } }`;
    assert.deepEqual(problemsOf(query), []);
  });

  test('hostile ones are refused in bounded time', () => {
    const deep = `{ ${'viewer { '.repeat(5000)} id ${'}'.repeat(5000)} }`;
    assert.match(problemsOf(deep)[0]?.message ?? '', /nested more than 128 levels/);
    const long = `{ ${'a'.repeat(1).concat(': viewer { id } ').repeat(20_000)} }`;
    assert.match(problemsOf(long)[0]?.message ?? '', /more than 50000 tokens/);
    const fragments = Array.from(
      { length: 30 },
      (
        _,
        index,
      ) => `fragment f${index} on User { a${index}: organization(login: "x") { ...g${index + 1} } b${index}: organization(login: "x") { ...g${index + 1} } }
        fragment g${index + 1} on Organization { repository(name: "a") { owner { ... on User { ...f${index + 1} } } } }`,
    );
    const bomb = `{ viewer { ...f0 } } ${fragments.join('\n')} fragment f30 on User { id }`;
    assert.match(problemsOf(bomb)[0]?.message ?? '', /selects more than 50000 fields/);
    const same = `{ viewer { ${'login '.repeat(20_000)} } }`;
    assert.deepEqual(problemsOf(same), []);
    const many = Array.from(
      { length: 2000 },
      (_, index) => `fragment f${index} on User { ...f${index + 1} }`,
    );
    assert.match(
      problemsOf(`{ viewer { ...f0 } } ${many.join(' ')}`)[0]?.message ?? '',
      /more than 100 /,
    );
  });

  test('introspection cannot be nested in itself, and long texts are refused', () => {
    const bomb = '{ __type(name: "Node") { possibleTypes { interfaces { name } } } }';
    assert.match(problemsOf(bomb)[0]?.message ?? '', /'interfaces' cannot be nested in itself/);
    const fields = '{ __schema { types { fields { type { fields { name } } } } } }';
    assert.match(problemsOf(fields)[0]?.message ?? '', /'fields' cannot be nested in itself/);
    assert.deepEqual(problemsOf(getIntrospectionQuery()), []);
    assert.match(
      problemsOf(`{ viewer { id } } ${'\n'.repeat(600_000)}`)[0]?.message ?? '',
      /characters/,
    );
  });

  test('many values cost points, and ids multiply what is asked of each', () => {
    const aliases = Array.from({ length: 3000 }, (_, index) => `a${index}: id`).join(' ');
    const ids = Array.from({ length: 100 }, (_, index) => JSON.stringify(String(index))).join(', ');
    const prepared = prepare(`{ nodes(ids: [${ids}]) { ${aliases} } }`);
    const operation = operationOf(prepared, undefined);
    assert.equal(costOf(prepared.planOf(operation).fields, {}).points, 3);
  });

  test('possible nodes are counted as the service counts them', () => {
    const nested =
      '{ viewer { repositories(first: 50) { nodes { pullRequests(first: 20) { nodes { comments(first: 10) { nodes { id } } } } } } } }';
    const prepared = prepare(nested);
    const operation = operationOf(prepared, undefined);
    assert.equal(operation.kind, Kind.OPERATION_DEFINITION);
    const cost = costOf(prepared.planOf(operation).fields, {});
    assert.deepEqual(cost, { nodes: 50 + 50 * 20 + 50 * 20 * 10, points: Math.round(1051 / 100) });
    const most = nested.replaceAll(/first: \d+/g, 'first: 100');
    assert.equal(
      problemsOf(most)[0]?.message,
      'This query requests up to 1,010,100 possible nodes which exceeds the maximum limit of 500,000.',
    );
    assert.equal(problemsOf(most)[0]?.type, 'MAX_NODE_LIMIT_EXCEEDED');
    const skipped = most.replace(
      'repositories(first: 100)',
      'repositories(first: 100) @include(if: false)',
    );
    assert.deepEqual(problemsOf(skipped), []);
  });
});
