import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import * as fc from 'fast-check';

import { CliError } from '../context/errors.ts';
import { readEventStream } from './event-stream.ts';

/** A frame whose lengths are right, whatever is in it. */
function frame(headers: Uint8Array, content: Uint8Array): Buffer {
  const lengths = Buffer.alloc(12);
  lengths.writeUInt32BE(16 + headers.length + content.length);
  lengths.writeUInt32BE(headers.length, 4);
  return Buffer.concat([lengths, headers, content, Buffer.alloc(4)]);
}

const complete = Buffer.from('\u000b:event-type\u0007\u0000\u000eInvokeComplete');

describe('a stream of events', () => {
  const bytes = fc.uint8Array({ maxLength: 48 });
  const streams = {
    'any bytes': bytes,
    'any frame': fc.tuple(bytes, bytes).map(([headers, content]) => frame(headers, content)),
    'any end': bytes.map((content) => frame(complete, content)),
  };
  for (const [what, stream] of Object.entries(streams)) {
    test(`is read or refused: ${what}`, () => {
      fc.assert(
        fc.property(stream, (given) => {
          try {
            readEventStream(given);
          } catch (error) {
            assert.ok(error instanceof CliError);
          }
        }),
        { numRuns: 1000 },
      );
    });
  }

  test('reports how it ended', () => {
    const { payload, end } = readEventStream(frame(complete, Buffer.from('{"ErrorCode":"X"}')));
    assert.deepEqual([payload.length, end], [0, { ErrorCode: 'X' }]);
  });
});
