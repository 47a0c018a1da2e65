import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { DocumentError } from './graphql-error.ts';
import { parseDocument } from './parse-document.ts';
import { planOperation } from './plan.ts';

function refusalOf(source: string): string {
  try {
    const document = parseDocument(source);
    for (const operation of document.operations) planOperation(document, operation);
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    const { message, location } = error.problem;
    return `${message} at ${location?.line}:${location?.column}`;
  }
  return 'none';
}

describe('GraphQL documents', () => {
  test('syntax errors are refused with their location', () => {
    for (const [source, refusal] of [
      ['mutation {', 'Parse error on end of document: expected a name at 1:11'],
      ['mutation {\n  a(b: ) }', 'Parse error on ")": expected a value at 2:8'],
      ['mutation { a ? }', 'Parse error on "?": not the start of a token at 1:14'],
      ['mutation { "a }', 'Parse error on "\\"": not the start of a token at 1:12'],
      ['type A { b: C }', 'Parse error on "type": expected an operation or a fragment at 1:1'],
      ['mutation { a(b: 1, b: 2) }', 'Parse error on "b": expected each name once at 1:20'],
      ['mutation { a @skip(if: true) }', 'Directives are not supported. at 1:14'],
      ['mutation { a(b: "\u0001") }', 'Parse error on "\\"": not the start of a token at 1:17'],
      ['{ '.repeat(20_000), 'The document has more than 10000 tokens. at 1:20001'],
      ['mutation {}', 'A selection must not be empty. at 1:10'],
      ['fragment a on b { c } fragment a on b { c }', 'There are two fragments named a. at 1:23'],
      [`mutation { a(b: ${'['.repeat(99)}`, 'The document is nested deeper than 64. at 1:79'],
    ] as const) {
      assert.equal(refusalOf(source), refusal, source);
    }
  });

  test('what this server does not have is refused, with what it has', () => {
    const within = (selection: string): string =>
      refusalOf(`mutation { convertPullRequestToDraft(input: {}) { ${selection} } }`);
    assert.match(
      refusalOf('{ viewer { login } }'),
      /^The operation type query is not supported\..* only the mutations/,
    );
    assert.match(refusalOf('mutation { addStar(input: {}) { id } }'), /'addStar' doesn't exist/);
    assert.match(refusalOf('mutation { constructor }'), /'constructor' doesn't exist/);
    assert.match(within('pullRequest { files { path } }'), /Fields: id, databaseId, number/);
    assert.match(within('pullRequest'), /^Field must have selections/);
    assert.match(within('clientMutationId { x }'), /^Selections can't be made on the scalar/);
    assert.match(
      within('pullRequest { ... on Issue { id } }'),
      /^Fragment on Issue can't be spread/,
    );
    assert.match(within('...absent'), /^Fragment absent was used, but not defined/);
    assert.match(within('pullRequest { a: id a: url }'), /^'a' is selected twice/);
  });

  test('fragments neither go round nor multiply without end', () => {
    const mutation = 'mutation { convertPullRequestToDraft(input: {}) { pullRequest { ...f0 } } }';
    const circle = `${mutation} fragment f0 on PullRequest { ...f1 } fragment f1 on PullRequest { ...f0 }`;
    assert.match(refusalOf(circle), /^Fragment f0 contains itself/);
    const doubling = Array.from(
      { length: 30 },
      (_, index) => `fragment f${index} on PullRequest { ...f${index + 1} ...f${index + 1} }`,
    );
    const end = 'fragment f30 on PullRequest { id }';
    assert.match(refusalOf([mutation, ...doubling, end].join(' ')), /more than 1000 fields/);
  });

  test('texts keep their escapes, and comments and commas are nothing', () => {
    const { operations } = parseDocument(
      'mutation A($x: [ID!]! = "\\u0041\\n") { # no\n a(b: """ "q" """, c: -1.5e1 d: null), }',
    );
    const [selection] = operations[0]?.selections ?? [];
    assert.ok(selection?.kind === 'field');
    assert.deepEqual(
      [...selection.arguments.values()].map((value) => value.kind === 'constant' && value.value),
      [' "q" ', -15, null],
    );
    const [variable] = operations[0]?.variables ?? [];
    assert.deepEqual([variable?.type, variable?.required], ['[ID!]', true]);
    assert.deepEqual(variable?.fallback, { kind: 'constant', value: 'A\n' });
  });
});
