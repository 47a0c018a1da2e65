import { pipeline } from 'node:stream';
import { crc32, createDeflateRaw, deflateRawSync } from 'node:zlib';

export interface ZipFile {
  /** Names joined by `/`. */
  readonly path: string;
  readonly kind: ZipFileKind;
  /** The target of a link; empty for a folder. */
  readonly content: Uint8Array | AsyncIterable<Uint8Array>;
}

export type ZipFileKind = 'file' | 'executable' | 'link' | 'folder';

/**
 * Writes a zip archive (PKWARE APPNOTE 6.3.3) of at most 65,535 files and 4 GiB. The same files in the same order result in the same
 * bytes: all times are those of the format's epoch.
 */
export async function* writeZip(
  files: Iterable<ZipFile> | AsyncIterable<ZipFile>,
): AsyncGenerator<Buffer> {
  const directory: Buffer[] = [];
  let offset = 0;
  for await (const file of files) {
    const name = Buffer.from(file.kind === 'folder' ? `${file.path}/` : file.path);
    const start = offset;
    const finish = (fields: EntryFields): void => {
      directory.push(directoryEntry(name, modes[file.kind], fields, start));
    };
    for await (const piece of writeEntry(name, file.content, finish)) {
      offset += piece.length;
      yield piece;
    }
  }
  const list = Buffer.concat(directory);
  yield list;
  yield endOfDirectory(directory.length, list.length, offset);
}

const modes: Readonly<Record<ZipFileKind, number>> = {
  file: 0o100644,
  executable: 0o100755,
  link: 0o120777,
  folder: 0o040755,
};

/** The fields that the local header and the directory share, from the version to the size. */
type EntryFields = Buffer;

/** File that is deflated without another thread: up to this size, that is cheaper. */
const smallBytesMax = 64 * 1024;

/** Where the consumer stops, the content is closed, too. */
async function* writeEntry(
  name: Buffer,
  content: ZipFile['content'],
  finish: (fields: EntryFields) => void,
): AsyncGenerator<Buffer> {
  if (content instanceof Uint8Array && content.length <= smallBytesMax) {
    const data = deflateRawSync(content);
    const fields = entryFields(utf8Flag, crc32(content), data.length, content.length);
    finish(fields);
    yield Buffer.concat([localHeader(fields, name), data]);
    return;
  }
  const flags = utf8Flag | descriptorFlag;
  yield localHeader(entryFields(flags, 0, 0, 0), name);
  let sum = 0;
  let size = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const piece of content instanceof Uint8Array ? [content] : content) {
      sum = crc32(piece, sum);
      size += piece.length;
      yield piece;
    }
  }
  let compressedSize = 0;
  // An error of the source also ends this iteration, so that the callback has nothing to do.
  const deflated = pipeline(counted, createDeflateRaw(), () => {});
  for await (const piece of deflated) {
    const bytes = Buffer.from(piece);
    compressedSize += bytes.length;
    yield bytes;
  }
  const fields = entryFields(flags, sum, compressedSize, size);
  finish(fields);
  yield Buffer.concat([signature(0x08074b50), fields.subarray(10)]);
}

const utf8Flag = 0x0800;
/** Checksum and sizes follow the data. */
const descriptorFlag = 0x0008;
const versionNeeded = 20;
const deflateMethod = 8;
/** 1 January 1980, the first day that the format can express. */
const epochDate = 0x0021;

function entryFields(
  flags: number,
  sum: number,
  compressedSize: number,
  size: number,
): EntryFields {
  const fields = Buffer.alloc(22);
  fields.writeUInt16LE(versionNeeded, 0);
  fields.writeUInt16LE(flags, 2);
  fields.writeUInt16LE(deflateMethod, 4);
  fields.writeUInt16LE(epochDate, 8);
  fields.writeUInt32LE(sum, 10);
  fields.writeUInt32LE(compressedSize, 14);
  fields.writeUInt32LE(size, 18);
  return fields;
}

function localHeader(fields: EntryFields, name: Buffer): Buffer {
  const lengths = Buffer.alloc(4);
  lengths.writeUInt16LE(name.length, 0);
  return Buffer.concat([signature(0x04034b50), fields, lengths, name]);
}

function directoryEntry(name: Buffer, mode: number, fields: EntryFields, offset: number): Buffer {
  const madeOnUnix = Buffer.from([versionNeeded, 3]);
  const rest = Buffer.alloc(18);
  rest.writeUInt16LE(name.length, 0);
  rest.writeUInt32LE((mode << 16) >>> 0, 10);
  rest.writeUInt32LE(offset, 14);
  return Buffer.concat([signature(0x02014b50), madeOnUnix, fields, rest, name]);
}

function endOfDirectory(entries: number, bytes: number, offset: number): Buffer {
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries, 4);
  end.writeUInt16LE(entries, 6);
  end.writeUInt32LE(bytes, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([signature(0x06054b50), end]);
}

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
