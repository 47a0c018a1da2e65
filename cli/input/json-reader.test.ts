import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import * as fc from 'fast-check';

import { Float } from '../validation/input-value.ts';
import { readJson } from './json-reader.ts';

const problems: readonly (readonly [string, string])[] = [
  ['', 'Expecting value: line 1 column 1 (char 0)'],
  ['["a"', "Expecting ',' delimiter: line 1 column 5 (char 4)"],
  ['{"A":1', "Expecting ',' delimiter: line 1 column 7 (char 6)"],
  ['{A:1}', 'Expecting property name enclosed in double quotes: line 1 column 2 (char 1)'],
  ['{"A" 1}', "Expecting ':' delimiter: line 1 column 6 (char 5)"],
  ['{"A":}', 'Expecting value: line 1 column 6 (char 5)'],
  ['{}\n{}', 'Extra data: line 2 column 1 (char 3)'],
  ['"abc', 'Unterminated string starting at: line 1 column 1 (char 0)'],
  ['"a\nb"', 'Invalid control character at: line 1 column 3 (char 2)'],
  [String.raw`"\x"`, String.raw`Invalid \escape: line 1 column 2 (char 1)`],
  [String.raw`"\u12"`, String.raw`Invalid \uXXXX escape: line 1 column 3 (char 2)`],
];

describe('JSON of the command line', () => {
  test('says what was expected, and where', () => {
    for (const [text, problem] of problems)
      assert.deepEqual(readJson(text), { kind: 'problem', problem }, text);
  });

  test('refuses what is nested too deeply', () => {
    assert.equal(readJson('['.repeat(100_000)).kind, 'problem');
  });

  test('distinguishes 2 from 2.0 and keeps large numbers whole', () => {
    const reading = readJson('[2, 2.0, 12345678901234567890]');
    assert.deepEqual(reading, {
      kind: 'value',
      value: [2, new Float(2), 12_345_678_901_234_567_890n],
    });
  });

  test('agrees with the platform on every document', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const reading = readJson(text);
        assert.equal(reading.kind, 'value');
        const printed = JSON.stringify(
          reading.kind === 'value' ? reading.value : undefined,
          (_, value: unknown) =>
            value instanceof Float
              ? value.value
              : typeof value === 'bigint'
                ? Number(value)
                : value,
        );
        assert.deepEqual(JSON.parse(printed), JSON.parse(text));
      }),
    );
  });

  test('agrees with the platform on what is no document', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        assert.equal(readJson(text).kind === 'value', isJson(text));
      }),
    );
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
