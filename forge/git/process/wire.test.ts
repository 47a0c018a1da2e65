import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';

import { formatFrame, frame, readFrames } from './wire.ts';

describe('a stream of frames', () => {
  const contents = ['one', '', 'the third', 'x'.repeat(300)].map((text) => Buffer.from(text));
  const bytes = Buffer.concat(contents.map((content) => formatFrame(frame.data, content)));

  for (const size of [1, 2, 4, 5, 6, 7, 64, bytes.length]) {
    it(`is split the same where it comes in pieces of ${size}`, async () => {
      const pieces: Buffer[] = [];
      for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
      const frames = await Readable.from(readFrames(Readable.from(pieces))).toArray();
      assert.deepEqual(
        frames,
        contents.map((content) => ({ kind: frame.data, content })),
      );
    });
  }

  // To join the pieces at each of them would copy 130 gigabytes.
  it('has a large one that comes in small pieces', async () => {
    const piece = Buffer.alloc(256, 'x');
    const count = 32_768;
    function* pieces(): Generator<Buffer> {
      yield formatFrame(frame.list, Buffer.alloc(piece.length * count)).subarray(0, 5);
      for (let sent = 0; sent < count; sent += 1) yield piece;
    }
    const started = performance.now();
    const [whole, ...more] = await Readable.from(readFrames(Readable.from(pieces()))).toArray();
    assert.equal(whole.content.length, piece.length * count);
    assert.equal(whole.kind, frame.list);
    assert.deepEqual(more, []);
    assert.ok(performance.now() - started < 20_000);
  });
});
