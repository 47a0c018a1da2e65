import { setImmediate } from 'node:timers/promises';

import { safeArchivePath, ArchiveRefusal, shown } from '../archives/archive-path.ts';
import type { BufferedFileReader } from '../archives/buffered-file-reader.ts';
import { type DirectoryRange, readLong } from './zip-end.ts';
import { zipName } from './zip-name.ts';

/** One entry of the central directory; its path is safe. */
export interface ZipEntry extends EntryType {
  readonly path: string;
  readonly method: 'stored' | 'deflated';
  readonly crc32: number;
  readonly compressedSize: number;
  readonly size: number;
  /** The offset of its local header. */
  readonly offset: number;
  /** As in the archive: the local header must have the same name. */
  readonly rawName: Buffer;
  /** Seconds since the epoch. */
  readonly modified: number;
}

/** Every entry, in the archive's order. Yields to other work meanwhile. */
export async function readEntries(
  file: BufferedFileReader,
  directory: DirectoryRange,
  entriesMax: number,
): Promise<ZipEntry[]> {
  if (directory.entries > entriesMax) {
    throw new ArchiveRefusal('forbidden', `The archive has more than ${entriesMax} entries.`);
  }
  if (directory.size > directoryBytesMax) {
    throw new ArchiveRefusal('forbidden', 'The central directory of the archive is too large.');
  }
  const entries: ZipEntry[] = [];
  const end = directory.offset + directory.size;
  let position = directory.offset;
  while (entries.length < directory.entries) {
    const header = await file.read(position, headerLength);
    if (header.readUInt32LE(0) !== headerSignature) throw damaged();
    const length = variableLength(header);
    if (position + headerLength + length > end) throw damaged();
    entries.push(readEntry(header, await file.read(position + headerLength, length)));
    position += headerLength + length;
    if (entries.length % 500 === 0) await setImmediate();
  }
  if (position !== end) throw damaged();
  return entries;
}

const headerSignature = 0x02014b50;

const headerLength = 46;

/** Directory of a zip archive: 50,000 entries of 670 bytes each; in practice one needs about 100. */
const directoryBytesMax = 32 * 1024 * 1024;

/** Encrypted, patched data, strong encryption, masked headers. */
const refusedFlags = 0x0001 | 0x0020 | 0x0040 | 0x2000;

const utf8Flag = 0x0800;

const unixSystems = [3, 19];

function variableLength(header: Buffer): number {
  return header.readUInt16LE(28) + header.readUInt16LE(30) + header.readUInt16LE(32);
}

function readEntry(header: Buffer, variable: Buffer): ZipEntry {
  const nameLength = header.readUInt16LE(28);
  const rawName = variable.subarray(0, nameLength);
  const extra = variable.subarray(nameLength, nameLength + header.readUInt16LE(30));
  const flags = header.readUInt16LE(8);
  const unix = unixSystems.includes(header.readUInt16LE(4) >>> 8);
  const name = zipName({
    bytes: rawName,
    utf8: (flags & utf8Flag) !== 0,
    unix,
    unicodePath: extraField(extra, 0x7075),
  });
  const path = safeArchivePath(name);
  if ((flags & refusedFlags) !== 0) {
    throw new ArchiveRefusal('forbidden', `Entry ${shown(name)} is encrypted.`);
  }
  return {
    path,
    rawName,
    method: methodOf(header.readUInt16LE(10), name),
    crc32: header.readUInt32LE(16),
    ...longSizes(
      {
        size: header.readUInt32LE(24),
        compressedSize: header.readUInt32LE(20),
        offset: header.readUInt32LE(42),
      },
      extraField(extra, 1),
    ),
    ...entryType(name, unix ? header.readUInt32LE(38) >>> 16 : 0),
    modified: modifiedAt(header, extraField(extra, 0x5455)),
  };
}

function methodOf(method: number, name: string): ZipEntry['method'] {
  if (method === 0) return 'stored';
  if (method === 8) return 'deflated';
  throw new ArchiveRefusal(
    'forbidden',
    `Entry ${shown(name)} uses compression method ${method}; only stored and deflated entries are supported.`,
  );
}

function damaged(): ArchiveRefusal {
  return new ArchiveRefusal('damaged', 'The central directory of the archive is damaged.');
}

/** The content of an extra field; undefined without it. Bytes after the last whole field are padding. */
function extraField(extra: Buffer, id: number): Buffer | undefined {
  let at = 0;
  while (at + 4 <= extra.length) {
    const end = at + 4 + extra.readUInt16LE(at + 2);
    if (extra.readUInt16LE(at) === id)
      return end <= extra.length ? extra.subarray(at + 4, end) : undefined;
    at = end;
  }
  return undefined;
}

interface EntrySizes {
  readonly size: number;
  readonly compressedSize: number;
  readonly offset: number;
}

/** Numbers that do not fit in 32 bits are in the zip64 field, in this order and only those. */
function longSizes(short: EntrySizes, field: Buffer | undefined): EntrySizes {
  let at = 0;
  const long = (value: number): number => {
    if (value !== elsewhere) return value;
    if (!field || at + 8 > field.length) {
      throw new ArchiveRefusal('damaged', 'An entry lacks its 64-bit sizes.');
    }
    at += 8;
    return readLong(field, at - 8);
  };
  const size = long(short.size);
  const compressedSize = long(short.compressedSize);
  return { size, compressedSize, offset: long(short.offset) };
}

const elsewhere = 0xffffffff;

interface EntryType {
  readonly kind: 'file' | 'folder' | 'link';
  readonly executable: boolean;
}

/** The type of an entry by its name and its Unix mode; the mode is 0 when the archive has none. */
function entryType(name: string, mode: number): EntryType {
  const type = mode & 0o170000;
  const slash = name.endsWith('/');
  const executable = (mode & 0o111) !== 0;
  if (type === 0o040000 || (slash && type === 0)) return { kind: 'folder', executable: false };
  if (!slash && (type === 0o100000 || type === 0)) return { kind: 'file', executable };
  if (!slash && type === 0o120000) return { kind: 'link', executable: false };
  throw new ArchiveRefusal(
    'forbidden',
    `Entry ${shown(name)} is neither a file, a folder nor a symbolic link.`,
  );
}

/**
 * When the file was last modified, in seconds since the epoch. Interpreters compare their compiled files with it. The header's own
 * time has no zone: it is read as UTC, as on AWS.
 */
function modifiedAt(header: Buffer, timestamps: Buffer | undefined): number {
  if (timestamps && timestamps.length >= 5 && ((timestamps[0] ?? 0) & 1) === 1) {
    return Math.max(0, timestamps.readInt32LE(1));
  }
  const time = header.readUInt16LE(12);
  const date = header.readUInt16LE(14);
  const [year, month, day] = [1980 + (date >>> 9), ((date >>> 5) & 15) - 1, date & 31];
  const [hour, minute, second] = [time >>> 11, (time >>> 5) & 63, (time & 31) * 2];
  return Date.UTC(year, month, day, hour, minute, second) / 1000;
}
