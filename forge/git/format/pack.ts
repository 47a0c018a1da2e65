import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, deflate, deflateSync } from 'node:zlib';

import { inTurns } from '#platform/in-turns.ts';

import type { ObjectType } from '../git.ts';

const compress = promisify(deflate);

export interface PackedObject {
  readonly type: ObjectType;
  readonly content: Buffer;
}

/** The numbers of the types in a pack (gitformat-pack(5)). */
const typeNumbers: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3, tag: 4 };

/** Content that is compressed in another thread; for less, handing it over takes longer than compressing it. */
const largeBytes = 32 * 1024;

const level = { level: constants.Z_BEST_SPEED };

/** A pack of whole objects, without deltas (gitformat-pack(5)). */
export async function formatPack(objects: readonly PackedObject[]): Promise<Buffer> {
  const head = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  head.writeUInt32BE(objects.length, 8);
  const parts = await inTurns(objects, ({ type, content }) => [
    entryHead(type, content.length),
    content.length < largeBytes ? deflateSync(content, level) : content,
  ]);
  for (const [index, { content }] of objects.entries()) {
    // One at a time: many at once would take as many threads, and their memory.
    if (content.length >= largeBytes) parts[index]?.splice(1, 1, await compress(content, level));
  }
  const pack = Buffer.concat([head, ...parts.flat()]);
  return Buffer.concat([pack, createHash('sha1').update(pack).digest()]);
}

/** Type and size: four bits of the size in the first byte, then seven in each, as long as the highest bit is set. */
function entryHead(type: ObjectType, size: number): Buffer {
  const bytes = [];
  let byte = (typeNumbers[type] << 4) | (size & 0x0f);
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push(byte | 0x80);
    byte = rest & 0x7f;
  }
  return Buffer.from([...bytes, byte]);
}
