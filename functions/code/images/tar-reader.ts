import { ArchiveRefusal, shown } from '../archives/archive-path.ts';
import { ByteReader } from './byte-reader.ts';
import { blockBytes, readHeader, type TarHeader } from './tar-header.ts';

export interface TarEntry {
  /** As written; not checked to stay inside the root. */
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link' | 'hard-link' | 'device';
  readonly target: string;
  readonly mode: number;
  readonly size: number;
  /** Seconds since the epoch. */
  readonly modified: number;
}

/** Passes on the entries one by one, each with its content, which may be left unread. Reads to the stream's end. */
export async function readTar(
  bytes: AsyncIterable<Uint8Array>,
  take: (entry: TarEntry, content: AsyncIterable<Buffer>) => Promise<void>,
): Promise<void> {
  const source = new ByteReader(bytes);
  let extended: Extension = {};
  for (;;) {
    const block = await source.read(blockBytes);
    const header = block && readHeader(block);
    if (!header) break;
    const extension = await readExtension(source, header);
    if (extension) {
      extended = { ...extended, ...extension };
      continue;
    }
    const entry = entryOf(header, extended);
    extended = {};
    let left = entry.size;
    await take(
      entry,
      counted(source.pieces(entry.size), (length) => (left -= length)),
    );
    await source.skip(left + padding(entry.size));
  }
  await source.drain();
}

/** The metadata of an extension header for the entry after it. */
interface Extension {
  readonly name?: string;
  readonly target?: string;
  readonly size?: number;
  readonly modified?: number;
}

/** Extended header in a layer of an image. */
const extensionBytesMax = 1024 * 1024;

/** Undefined for the header of an entry. */
async function readExtension(
  source: ByteReader,
  { type, size }: TarHeader,
): Promise<Extension | undefined> {
  if (!'xgLK'.includes(type)) return undefined;
  if (size > extensionBytesMax) throw damaged();
  const body = (await source.read(size)) ?? Buffer.alloc(0);
  await source.skip(padding(size));
  const message = body.toString().replace(/\0+$/, '');
  switch (type) {
    case 'L':
      return { name: message };
    case 'K':
      return { target: message };
    case 'x':
      return fromPax(body);
    default:
      // A global header contains no name or size of an entry.
      return {};
  }
}

/** Records of `<length> <key>=<value>\n`, where the length counts bytes, itself included. */
function fromPax(body: Buffer): Extension {
  const extension: { name?: string; target?: string; size?: number; modified?: number } = {};
  for (let at = 0; at < body.length;) {
    const space = body.indexOf(0x20, at);
    const length = Number(body.toString('latin1', at, Math.max(at, space)));
    if (space === -1 || !Number.isSafeInteger(length) || length < 5 || at + length > body.length) {
      throw damaged();
    }
    const record = body.toString('utf8', space + 1, at + length - 1);
    const equals = record.indexOf('=');
    const key = record.slice(0, equals);
    const value = record.slice(equals + 1);
    if (key === 'path') extension.name = value;
    if (key === 'linkpath') extension.target = value;
    if (key === 'size') extension.size = wholeNumber(value);
    if (key === 'mtime') extension.modified = Number.parseFloat(value) || 0;
    if (key.startsWith('GNU.sparse.')) throw sparse();
    at += length;
  }
  return extension;
}

function entryOf(header: TarHeader, extended: Extension): TarEntry {
  const name = extended.name ?? header.name;
  const kind = kindOf(header.type, name);
  const size = kind === 'file' ? (extended.size ?? header.size) : 0;
  const { mode } = header;
  const modified = extended.modified ?? header.modified;
  return { name, kind, size, mode, modified, target: extended.target ?? header.target };
}

function kindOf(type: string, name: string): TarEntry['kind'] {
  switch (type) {
    case '0':
    case '\0':
    case '7':
      return name.endsWith('/') ? 'folder' : 'file';
    case '1':
      return 'hard-link';
    case '2':
      return 'link';
    case '3':
    case '4':
    case '6':
      return 'device';
    case '5':
      return 'folder';
    case 'S':
      throw sparse();
    default:
      throw new ArchiveRefusal('forbidden', `Entry ${shown(name)} has an unknown type.`);
  }
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) throw damaged();
  return value;
}

async function* counted(
  pieces: AsyncIterable<Buffer>,
  count: (length: number) => void,
): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    count(piece.length);
    yield piece;
  }
}

/** Content is padded to whole blocks. */
function padding(size: number): number {
  return (blockBytes - (size % blockBytes)) % blockBytes;
}

function damaged(): ArchiveRefusal {
  return new ArchiveRefusal('damaged', 'A layer of the image has a damaged header.');
}

function sparse(): ArchiveRefusal {
  return new ArchiveRefusal(
    'forbidden',
    'A layer of the image contains a sparse file, which is not supported.',
  );
}
