import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { Float, inputMap } from '../validation/input-value.ts';
import { jsonLine, jsonLines } from './write-json.ts';

const value = inputMap([
  ['a', [1, new Float(2), 'é🦀', null, true]],
  ['b', inputMap([['c', Buffer.from([1, 2])]])],
  ['d', inputMap()],
  ['e', []],
]);

describe('JSON as the AWS CLI writes it', () => {
  test('has a space after commas and colons, and nothing beyond ASCII', () => {
    assert.equal(
      jsonLine(value),
      String.raw`{"a": [1, 2.0, "\u00e9\ud83e\udd80", null, true], "b": {"c": "AQI="}, "d": {}, "e": []}`,
    );
  });

  test('has a line for each member where it is read by people', () => {
    assert.equal(
      jsonLines(value),
      String.raw`{
    "a": [
        1,
        2.0,
        "\u00e9\ud83e\udd80",
        null,
        true
    ],
    "b": {
        "c": "AQI="
    },
    "d": {},
    "e": []
}`,
    );
  });
});
