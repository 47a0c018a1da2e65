import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import {
  blob,
  boolean,
  double,
  integer,
  list,
  map,
  optional,
  structure,
  text,
} from '#functions-contract/shape.ts';

import { parseStructure } from './parse-value.ts';

const shape = structure({
  Text: optional(text, ''),
  Flag: optional(boolean, ''),
  Count: optional(integer({}), ''),
  Share: optional(double({}), ''),
  Bytes: optional(blob, ''),
  Items: optional(list(text, {}), ''),
  Tags: optional(map(text, text, {}), ''),
  Inner: optional(structure({ Text: optional(text, '') }), ''),
});

describe('JSON as a structure of the contract', () => {
  test('is read by type; unknown members and nulls are absent, as items undefined', () => {
    const given = {
      Text: 't',
      Flag: false,
      Count: -1,
      Share: 0.5,
      Bytes: 'AQI=',
      Items: ['a', null],
      Tags: { a: 'b', none: null },
      Inner: { Text: 'i', Other: 1 },
      Unknown: {},
    };
    assert.deepEqual(parseStructure(shape, given), {
      Text: 't',
      Flag: false,
      Count: -1,
      Share: 0.5,
      Bytes: Buffer.from([1, 2]),
      Items: ['a', undefined],
      Tags: { a: 'b', none: undefined },
      Inner: { Text: 'i' },
    });
    assert.deepEqual(parseStructure(shape, { Text: null, Inner: {} }), { Inner: {} });
  });

  test('does not read what an object inherits', () => {
    assert.deepEqual(parseStructure(structure({ toString: optional(text, '') }), {}), {});
  });

  const refused: readonly (readonly [given: unknown, message: string])[] = [
    [[], 'Expected structure, map or null'],
    [null, 'Expected structure, map or null'],
    [{ Text: 1 }, 'NUMBER_VALUE can not be converted to a String'],
    [{ Text: 1.5 }, 'DECIMAL_VALUE can not be converted to a String'],
    [{ Text: true }, 'TRUE_VALUE can not be converted to a String'],
    [{ Text: [] }, 'Start of list found where not expected'],
    [{ Text: {} }, 'Start of structure or map found where not expected'],
    [{ Flag: 'true' }, 'STRING_VALUE can not be converted to a Boolean'],
    [{ Count: 1.5 }, 'DECIMAL_VALUE can not be converted to an Integer'],
    [{ Count: 2 ** 60 }, 'NUMBER_VALUE can not be converted to an Integer'],
    [{ Share: '1' }, 'STRING_VALUE can not be converted to a Double'],
    [{ Bytes: 7 }, 'NUMBER_VALUE can not be converted to a Blob'],
    [{ Bytes: 'AQI' }, 'The value of a blob is not base64'],
    [{ Bytes: '!AQ=' }, 'The value of a blob is not base64'],
    [{ Items: {} }, 'Expected list or null'],
    [{ Items: [1] }, 'NUMBER_VALUE can not be converted to a String'],
    [{ Tags: [] }, 'Expected structure, map or null'],
    [{ Inner: 'x' }, 'Expected structure, map or null'],
  ];
  for (const [given, message] of refused) {
    test(`is refused: ${JSON.stringify(given)}`, () => {
      assert.throws(() => parseStructure(shape, given), { message });
    });
  }
});
