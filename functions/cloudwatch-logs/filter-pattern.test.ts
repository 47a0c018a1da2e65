import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { ServiceError } from '../errors/functions-error.ts';
import { readFilterPattern } from './filter-pattern.ts';

const record = JSON.stringify({
  level: 'ERROR',
  'detail-type': 'x',
  time: 5.5,
  code: '400',
  done: true,
  nothing: null,
  address: '123.123.1.2',
  users: [{ name: 'ada' }, { name: 'bo' }],
});

const cases: readonly [pattern: string, message: string, passes: boolean][] = [
  ['', 'anything', true],
  ['  ', 'anything', true],
  ['ERROR', 'an ERROR came', true],
  ['ERROR', 'an error came', false],
  ['ERROR ARGUMENTS', 'ERROR: wrong ARGUMENTS', true],
  ['ERROR ARGUMENTS', 'ERROR only', false],
  ['"wrong ARGUMENTS"', 'ERROR: wrong ARGUMENTS', true],
  ['"wrong ARGUMENTS"', 'ARGUMENTS wrong', false],
  [String.raw`"level\":\"ERROR"`, record, true],
  [String.raw`"back\\slash"`, String.raw`a back\slash`, true],
  ['?ERROR ?WARN', 'a WARN', true],
  ['?ERROR ?WARN', 'an INFO', false],
  ['?"two args" ?WARN', 'here are two args', true],
  ['ERROR -EXITING', 'ERROR going on', true],
  ['ERROR -EXITING', 'ERROR EXITING', false],
  ['-"two args"', 'here are two args', false],
  ['-INFO', 'a WARN', true],
  // Optional terms next to others are ignored.
  ['?ERROR WARN', 'a WARN', true],
  ['größer', 'ist größer', true],
  ['{ $.level = "ERROR" }', record, true],
  ['{$.level="ERROR"}', record, true],
  ['{ $.level = ERROR }', record, true],
  ['{ $.level != "INFO" }', record, true],
  ['{ $.level != "ERROR" }', record, false],
  ['{ $.missing != "ERROR" }', record, false],
  ['{ $.level = "ERR*" }', record, true],
  ['{ $.level = "*R*R" }', record, true],
  ['{ $.level = "*RR" }', record, false],
  ['{ $.level = "E" }', record, false],
  ['{ $.address = 123.123.* }', record, true],
  ['{ $.detail-type = "x" }', record, true],
  ['{ $.time > 5 }', record, true],
  ['{ $.time >= 5.5 }', record, true],
  ['{ $.time < 5.5 }', record, false],
  ['{ $.time <= 55e-1 }', record, true],
  ['{ $.time = 5.50 }', record, true],
  ['{ $.level > 5 }', record, false],
  ['{ $.code = 400 }', record, true],
  ['{ $.users[1].name = "bo" }', record, true],
  ['{ $.users[2].name = "bo" }', record, false],
  ['{ $.users.name = "bo" }', record, false],
  ['{ $.nothing IS NULL }', record, true],
  ['{ $.missing IS NULL }', record, false],
  ['{ $.done IS TRUE }', record, true],
  ['{ $.done IS FALSE }', record, false],
  ['{ $.missing NOT EXISTS }', record, true],
  ['{ $.level NOT EXISTS }', record, false],
  ['{ ($.level = "INFO") || ($.time > 5) }', record, true],
  ['{ $.level = "INFO" && $.time > 5 || $.code = 400 }', record, true],
  ['{ $.level = "INFO" && ($.time > 5 || $.code = 400) }', record, false],
  ['{ $.__proto__ NOT EXISTS }', record, true],
  ['{ $.level = "ERROR" }', 'plain ERROR', false],
  ['{ $.level = "ERROR" }', '{ broken', false],
];

const refused: readonly [pattern: string, message: RegExp][] = [
  ['Error: no', /^Invalid character\(s\) in term ':'$/],
  ['a,b', /^Invalid character\(s\) in term ','$/],
  ['?', /^Invalid character/],
  ['-', /^Invalid character/],
  ['"open', /unclosed quotation mark/],
  ['[ip, user]', /Space-delimited filter patterns are not supported/],
  ['%ERR%', /Regular expressions in filter patterns are not supported/],
  ['{ $.level = %ERR% }', /Regular expressions in filter patterns are not supported/],
  ['{ $.level = "ERROR"', /ends where '}' is expected/],
  ['{ $.level = "ERROR" } more', /^Invalid character\(s\) in term 'm'$/],
  ['{ $.level ~ 5 }', /^Invalid character\(s\) in term '~'$/],
  ['{ $."sc-status" = 5 }', /^Invalid character/],
  ['{ level = 5 }', /^Invalid character\(s\) in term 'l'$/],
  ['{ $.level > "5" }', /requires a number/],
  ['{ $.level IS 5 }', /followed by NULL, TRUE or FALSE/],
  ['{ $.level NOT 5 }', /followed by EXISTS/],
  ['{ ($.level = 5 }', /^Invalid character\(s\) in term '}'$/],
  ['{}', /^Invalid character\(s\) in term '}'$/],
];

describe('filter patterns', () => {
  for (const [pattern, message, passes] of cases) {
    it(`${passes ? 'let pass' : 'keep back'}: ${pattern} with ${message.slice(0, 40)}`, () => {
      assert.equal(readFilterPattern(pattern)(message), passes);
    });
  }

  for (const [pattern, message] of refused) {
    it(`are refused: ${pattern}`, () => {
      assert.throws(
        () => readFilterPattern(pattern),
        (error) =>
          error instanceof ServiceError &&
          error.code === 'InvalidParameterException' &&
          message.test(error.message),
      );
    });
  }

  it('are read or refused, whatever they are', () => {
    const pieces = fc.constantFrom(
      '$',
      '.a',
      '{',
      '}',
      '(',
      ')',
      '=',
      '"',
      '*',
      '&&',
      '||',
      ' ',
      '?',
      '-',
      'IS',
      '\\',
      '5',
    );
    const patterns = fc.oneof(
      fc.string(),
      fc.array(pieces).map((parts) => parts.join('')),
      fc.array(pieces).map((parts) => `{ $.a${parts.join('')}`),
    );
    fc.assert(
      fc.property(patterns, fc.oneof(fc.string(), fc.json()), (pattern, message) => {
        try {
          assert.equal(typeof readFilterPattern(pattern)(message), 'boolean');
        } catch (error) {
          assert.ok(error instanceof ServiceError, String(error));
        }
      }),
      { numRuns: 2000 },
    );
  });
});
