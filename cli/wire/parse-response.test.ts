import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { operation } from '#functions-contract/operation.ts';
import {
  boolean,
  integer,
  list,
  map,
  optional,
  structure,
  text,
  timestamp,
} from '#functions-contract/shape.ts';

import { parseResponse } from './parse-response.ts';

const shown = operation({
  name: 'Show',
  description: 'Shows.',
  method: 'GET',
  path: '/',
  status: 200,
  input: structure({}),
  output: structure({
    Name: optional(text, ''),
    Items: optional(list(text, {}), ''),
    Tags: optional(map(text, text, {}), ''),
    Inner: optional(
      structure({ Count: optional(integer({}), ''), Flag: optional(boolean, '') }),
      '',
    ),
    Time: optional(timestamp, ''),
  }),
});

const answered = (json: string) =>
  parseResponse(shown, { status: 200, headers: {}, body: Buffer.from(json) });

describe('the response of an operation', () => {
  test('has the members of the contract in its order, without nulls', () => {
    const response = answered(
      '{"Inner": {"Flag": false, "Count": null, "More": 1}, "Name": "n", "Other": 1, "Tags": null}',
    );
    assert.equal(JSON.stringify(response), '{"Name":"n","Inner":{"Flag":false}}');
  });

  test('leaves out what has another type', () => {
    assert.deepEqual(answered('{"Items": {}, "Tags": [], "Inner": "x"}'), {});
    assert.deepEqual(answered('[]'), {});
    assert.deepEqual(answered(' '), {});
    assert.deepEqual(answered('{"Items": ["a", null, "b"]}'), { Items: ['a', 'b'] });
  });

  test('has times as the AWS CLI prints them', () => {
    assert.equal(answered('{"Time": 0}')['Time'], '1970-01-01T00:00:00+00:00');
    assert.equal(answered('{"Time": 1.5}')['Time'], '1970-01-01T00:00:01.500000+00:00');
    assert.equal(answered('{"Time": 1e300}')['Time'], '1e+300');
  });

  test('that is not JSON is an error that quotes its beginning', () => {
    const page = `<html>${'x'.repeat(1000)}`;
    assert.throws(
      () => answered(page),
      (error) =>
        error instanceof Error &&
        error.message.endsWith(`invalid response received from service:\n${page.slice(0, 500)}`),
    );
  });
});
