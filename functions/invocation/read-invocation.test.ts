import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { FunctionsError } from '../errors/functions-error.ts';
import { checkJsonPayload } from './read-invocation.ts';

describe('payloads', () => {
  const location = (column: number) =>
    `\n at [Source: REDACTED (\`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION\` disabled); line: 1, column: ${column}]`;
  const refusals: readonly (readonly [what: string, payload: Buffer, args: string])[] = [
    [
      'begin a character nowhere',
      Buffer.from([0x22, 0x80, 0x22]),
      'Invalid UTF-8 start byte 0x80' + location(3),
    ],
    [
      'are of another encoding',
      Buffer.from('{"à":1}', 'latin1'),
      'Invalid UTF-8 sequence from byte 0xe0' + location(4),
    ],
    ['end early', Buffer.from('{"a":'), 'Unexpected end-of-input' + location(6)],
    ['are not JSON', Buffer.from('{a}'), 'Unexpected character' + location(2)],
    [
      'begin with nothing of JSON',
      Buffer.from('x, and more'),
      'Unexpected character' + location(1),
    ],
    ['go on after their end', Buffer.from('"à" 1'), 'Unexpected character' + location(6)],
    ['end in a text', Buffer.from('"à'), 'Unexpected end-of-input' + location(4)],
  ];
  for (const [what, payload, text] of refusals) {
    it(`are refused when they ${what}`, () => {
      assert.throws(
        () => {
          checkJsonPayload(payload);
        },
        (error) =>
          error instanceof FunctionsError &&
          error.message ===
            `Could not parse request body into json: Could not parse payload into json: ${text}`,
      );
    });
  }

  it('are JSON in UTF-8', () => {
    for (const text of ['{}', 'null', '"à \u{1f600} \ufffd"', ' [1] ', '\ufeff{}'])
      checkJsonPayload(Buffer.from(text));
  });
});
