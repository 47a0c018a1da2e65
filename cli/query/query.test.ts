import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { CliError } from '../context/errors.ts';
import { compileQuery } from './apply-query.ts';

const answer = {
  FunctionName: 'greet',
  Timeout: 10,
  Layers: [
    { Arn: 'arn:one', CodeSize: 10 },
    { Arn: 'arn:two', CodeSize: 20 },
  ],
};

describe('--query', () => {
  const refused: readonly (readonly [expression: string, message: string])[] = [
    ['a[', 'Invalid jmespath expression: Incomplete expression:\n"a["\n   ^'],
    ['a.', 'Invalid jmespath expression: Incomplete expression:\n"a."\n   ^'],
    ['f(@', 'Invalid jmespath expression: Incomplete expression:\n"f(@"\n    ^'],
    [
      'a b',
      'Invalid jmespath expression: Parse error at column 2, token "b" (UNQUOTED_IDENTIFIER), for expression:\n"a b"\n   ^',
    ],
    ['[a,]', /* the comma promises another */ 'column 3, token "]" (RBRACKET)'],
    ['#', 'Bad jmespath expression: Unknown character:#'],
    ['a[?b=c]', "Bad jmespath expression: Unknown token '='"],
    ['', 'Invalid JMESPath expression: cannot be empty.'],
  ];
  for (const [expression, message] of refused) {
    it(`refuses ${JSON.stringify(expression)} before anything is sent`, () => {
      assert.throws(
        () => compileQuery(expression),
        (error) =>
          error instanceof CliError &&
          error.exitCode === 252 &&
          error.message.startsWith(`Bad value for --query ${expression}: `) &&
          error.message.includes(message),
      );
    });
  }

  it('refuses an unknown function only with the answer in hand', () => {
    const query = compileQuery('nope(@)');
    assert.throws(
      () => query(answer),
      (error) =>
        error instanceof CliError &&
        error.exitCode === 255 &&
        error.message === 'Unknown function: nope()',
    );
  });

  const results: readonly (readonly [expression: string, result: unknown])[] = [
    ['Timeout', 10],
    ['Missing', null],
    ['Layers[].Arn', ['arn:one', 'arn:two']],
    ['{z:Timeout,a:Missing}', { z: 10, a: null }],
    ['length(Layers)', 2],
    ['toString', null],
    ['[constructor, Timeout]', [null, 10]],
  ];
  for (const [expression, result] of results) {
    it(`finds ${expression}`, () => {
      assert.deepEqual(compileQuery(expression)(answer), result);
    });
  }

  it('never breaks on random expressions other than by a message', () => {
    const args = fc.constantFrom(
      ...'a b [ ] { } ( ) , : . | & ! @ * ? 1 = == `1` "x" \'y\''.split(' '),
    );
    fc.assert(
      fc.property(fc.array(args, { maxLength: 8 }), (parts) => {
        try {
          compileQuery(parts.join(''))(answer);
        } catch (error) {
          assert.ok(error instanceof CliError, String(error));
        }
      }),
    );
  });
});
