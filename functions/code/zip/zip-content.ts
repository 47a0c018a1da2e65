import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32, createInflateRaw, inflateRawSync } from 'node:zlib';

import { ArchiveRefusal, shown } from '../archives/archive-path.ts';
import type { BufferedFileReader } from '../archives/buffered-file-reader.ts';
import type { ZipEntry } from './zip-directory.ts';
import { localHeaderLength, type PlannedContent } from './zip-plan.ts';

/** Entry of an archive that is inflated without another thread: less than a millisecond, and cheaper. */
export const smallBytesMax = 64 * 1024;

/** The whole content of a small entry, verified by its length and checksum. */
export async function smallContent(
  file: BufferedFileReader,
  planned: PlannedContent,
): Promise<Buffer> {
  const { entry } = planned;
  const start = await contentStart(file, planned);
  if (entry.compressedSize > 2 * smallBytesMax) throw damaged(entry);
  const compressed = await file.read(start, entry.compressedSize);
  const content = entry.method === 'stored' ? compressed : inflated(entry, compressed);
  check(entry, content.length, crc32(content));
  return content;
}

/** Passes on an entry's content in chunks; throws at the end unless its length and checksum were right. */
export async function pipeContent(
  file: BufferedFileReader,
  planned: PlannedContent,
  write: (piece: Buffer) => Promise<void>,
): Promise<void> {
  const { entry } = planned;
  const compressed = pieces(file, await contentStart(file, planned), entry.compressedSize);
  const taken = async (content: AsyncIterable<Buffer>): Promise<void> => {
    let length = 0;
    let sum = 0;
    for await (const piece of content) {
      length += piece.length;
      // We count the actual output: trusting the header would allow zip bombs.
      if (length > entry.size) throw damaged(entry);
      sum = crc32(piece, sum);
      await write(piece);
    }
    check(entry, length, sum);
  };
  if (entry.method === 'stored') return taken(compressed);
  try {
    await pipeline(Readable.from(compressed), createInflateRaw({ chunkSize: pieceBytes }), taken);
  } catch (cause) {
    throw isInflateError(cause) ? damaged(entry, cause) : cause;
  }
}

const localSignature = 0x04034b50;
const pieceBytes = 256 * 1024;

/** Readers that use the local header must see the same entry. */
async function contentStart(
  file: BufferedFileReader,
  { entry, limit }: PlannedContent,
): Promise<number> {
  const header = await file.read(entry.offset, localHeaderLength);
  if (header.readUInt32LE(0) !== localSignature) throw damaged(entry);
  const nameLength = header.readUInt16LE(26);
  const name = await file.read(entry.offset + localHeaderLength, nameLength);
  if (!name.equals(entry.rawName)) throw damaged(entry);
  if (header.readUInt16LE(8) !== (entry.method === 'stored' ? 0 : 8)) throw damaged(entry);
  const start = entry.offset + localHeaderLength + nameLength + header.readUInt16LE(28);
  if (start + entry.compressedSize > limit) {
    throw new ArchiveRefusal('forbidden', `Entry ${shown(entry.path)} overlaps the next one.`);
  }
  return start;
}

function inflated(entry: ZipEntry, compressed: Buffer): Buffer {
  try {
    return inflateRawSync(compressed, { maxOutputLength: Math.max(1, entry.size) });
  } catch (cause) {
    throw isInflateError(cause) ? damaged(entry, cause) : cause;
  }
}

async function* pieces(
  file: BufferedFileReader,
  start: number,
  length: number,
): AsyncGenerator<Buffer> {
  for (let done = 0; done < length; done += pieceBytes) {
    yield await file.read(start + done, Math.min(pieceBytes, length - done));
  }
}

function check(entry: ZipEntry, length: number, sum: number): void {
  if (length !== entry.size || sum !== entry.crc32) throw damaged(entry);
}

function isInflateError(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  return /^(Z_|ERR_BUFFER_TOO_LARGE$)/.test(String(error.code));
}

function damaged(entry: ZipEntry, cause?: unknown): ArchiveRefusal {
  return new ArchiveRefusal('damaged', `Entry ${shown(entry.path)} is damaged.`, { cause });
}
