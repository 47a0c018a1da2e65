import { ArchiveRefusal } from '../archives/archive-path.ts';
import type { BufferedFileReader } from '../archives/buffered-file-reader.ts';

/** The range of the central directory. */
export interface DirectoryRange {
  readonly offset: number;
  readonly size: number;
  readonly entries: number;
}

/** Reads the end of central directory record of a zip archive. */
export async function findDirectory(file: BufferedFileReader): Promise<DirectoryRange> {
  const tailLength = Math.min(file.size, endLength + commentBytesMax + locatorLength);
  const tail = await file.read(file.size - tailLength, tailLength);
  const at = findEnd(tail);
  const end = tail.subarray(at);
  const position = file.size - tailLength + at;
  const short: DirectoryRange = {
    entries: end.readUInt16LE(10),
    size: end.readUInt32LE(12),
    offset: end.readUInt32LE(16),
  };
  const locator = at >= locatorLength ? tail.subarray(at - locatorLength, at) : undefined;
  if (locator?.readUInt32LE(0) === locatorSignature) {
    const directory = await readLongEnd(file, readLong(locator, 8));
    return within(directory, position - locatorLength);
  }
  if (end.readUInt16LE(4) !== 0 || end.readUInt16LE(6) !== 0) throw inParts();
  if (end.readUInt16LE(8) !== short.entries) throw inParts();
  return within(short, position);
}

/** A 64-bit number that counts bytes or entries. */
export function readLong(bytes: Buffer, offset: number): number {
  const value = Number(bytes.readBigUInt64LE(offset));
  if (!Number.isSafeInteger(value)) {
    throw new ArchiveRefusal('damaged', 'The archive contains an invalid number.');
  }
  return value;
}

const endSignature = 0x06054b50;
const locatorSignature = 0x07064b50;
const longEndSignature = 0x06064b50;
const endLength = 22;
const locatorLength = 20;
const longEndLength = 56;
/** Comment at the end of a zip archive. */
const commentBytesMax = 65_535;

/** Searches backwards, for a record whose comment ends with the file: a comment may contain the signature. */
function findEnd(tail: Buffer): number {
  for (let at = tail.length - endLength; at >= 0; at -= 1) {
    if (tail[at] !== 0x50 || tail.readUInt32LE(at) !== endSignature) continue;
    if (at + endLength + tail.readUInt16LE(at + 20) === tail.length) return at;
  }
  throw new ArchiveRefusal('damaged', 'The file is not a zip archive.');
}

async function readLongEnd(file: BufferedFileReader, position: number): Promise<DirectoryRange> {
  const end = await file.read(position, longEndLength);
  if (end.readUInt32LE(0) !== longEndSignature) {
    throw new ArchiveRefusal('damaged', 'The end of the archive is not where it says.');
  }
  if (end.readUInt32LE(16) !== 0 || end.readUInt32LE(20) !== 0) throw inParts();
  const entries = readLong(end, 32);
  if (readLong(end, 24) !== entries) throw inParts();
  return { entries, size: readLong(end, 40), offset: readLong(end, 48) };
}

function within(directory: DirectoryRange, limit: number): DirectoryRange {
  if (directory.offset + directory.size <= limit) return directory;
  throw new ArchiveRefusal('damaged', 'The central directory is outside of the archive.');
}

function inParts(): ArchiveRefusal {
  return new ArchiveRefusal('forbidden', 'Multi-part archives are not supported.');
}
