import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { ArchiveRefusal } from '../archives/archive-path.ts';
import { paxOf, tarOf } from '../testing/tar-of.ts';
import { readTar } from './tar-reader.ts';

async function* inPieces(bytes: Buffer, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

async function read(bytes: Buffer, pieceLength: number, skip = false): Promise<string[]> {
  const found: string[] = [];
  await readTar(inPieces(bytes, pieceLength), async (entry, content) => {
    const text = skip ? '' : Buffer.concat(await Array.fromAsync(content)).toString();
    found.push(`${entry.kind} ${entry.name} ${text}`);
  });
  return found;
}

const archive = tarOf([
  { name: 'folder/' },
  paxOf({ path: 'größe', size: '3' }),
  { name: 'short', content: 'abc' },
  { name: 'large', content: 'x'.repeat(1000) },
  { name: 'link', type: '2', target: 'folder' },
]);

describe('the reader of layers', () => {
  it('reads the same however the bytes arrive', async () => {
    const expected = [
      'folder folder/ ',
      'file größe abc',
      `file large ${'x'.repeat(1000)}`,
      'link link ',
    ];
    for (const length of [1, 100, 512, 5000])
      assert.deepEqual(await read(archive, length), expected);
  });

  it('goes on after content that no one read', async () => {
    assert.deepEqual(await read(archive, 100, true), [
      'folder folder/ ',
      'file größe ',
      'file large ',
      'link link ',
    ]);
  });

  it('takes an archive that just ends', async () => {
    assert.equal((await read(archive.subarray(0, -1024), 512)).length, 4);
    assert.deepEqual(await read(Buffer.alloc(0), 512), []);
  });

  it('refuses, and never fails otherwise, whatever was changed', async () => {
    const change = fc.record({
      at: fc.nat(archive.length - 1),
      bytes: fc.uint8Array({ minLength: 1, maxLength: 12 }),
      // Nothing would get past the checksum otherwise.
      mended: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(change, async ({ at, bytes, mended }) => {
        const changed = Buffer.from(archive);
        changed.set(bytes.slice(0, archive.length - at), at);
        if (mended) mend(changed, at - (at % 512));
        await read(changed, 512).catch((error: unknown) => {
          assert.ok(error instanceof ArchiveRefusal, String(error));
        });
      }),
      { numRuns: 500 },
    );
  });
});

function mend(bytes: Buffer, at: number): void {
  const block = bytes.subarray(at, at + 512);
  block.fill(' ', 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0`, 148);
}
