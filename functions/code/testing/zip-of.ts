import { crc32, deflateRawSync } from 'node:zlib';

export type ZipContent =
  | string
  | Uint8Array
  | {
      readonly content: string | Uint8Array;
      /** Unix mode; with type bits where it is no plain file. */
      readonly mode?: number;
      readonly method?: 'stored' | 'deflated';
      /** Seconds since the epoch, in the extended timestamp field. */
      readonly modified?: number;
      readonly flags?: number;
      /** Sizes are 0 in the local header and follow the data. */
      readonly descriptor?: boolean;
      /** Sizes and offset in 64 bits. */
      readonly zip64?: boolean;
      /** The name as it is to be in the archive. */
      readonly rawName?: Uint8Array;
      readonly madeBy?: number;
    };

export const symbolicLink = 0o120777;

/** A zip archive; a name that ends with `/` is a folder's. Pairs allow one name twice. */
export function zipOf(
  files: Readonly<Record<string, ZipContent>> | readonly (readonly [string, ZipContent])[],
): Buffer {
  const pairs = isList(files) ? files : Object.entries(files);
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  let long = false;
  for (const [name, content] of pairs) {
    const entry = zipEntry(name, content, offset);
    long ||= entry.zip64;
    bodies.push(entry.body);
    directory.push(entry.header);
    offset += entry.body.length;
  }
  const list = Buffer.concat(directory);
  return Buffer.concat([...bodies, list, endOf(pairs.length, list.length, offset, long)]);
}

function isList(
  files: Readonly<Record<string, ZipContent>> | readonly (readonly [string, ZipContent])[],
): files is readonly (readonly [string, ZipContent])[] {
  return Array.isArray(files);
}

function zipEntry(
  name: string,
  content: ZipContent,
  offset: number,
): { body: Buffer; header: Buffer; zip64: boolean } {
  const options =
    typeof content === 'string' || content instanceof Uint8Array ? { content } : content;
  const bytes = Buffer.from(options.content);
  const method = options.method ?? 'deflated';
  const data = method === 'stored' ? bytes : deflateRawSync(bytes);
  const rawName = Buffer.from(options.rawName ?? name);
  const flags = options.flags ?? 0x0800 | (options.descriptor ? 8 : 0);
  const zip64 = options.zip64 ?? false;
  const extra = Buffer.concat([
    options.modified === undefined ? Buffer.alloc(0) : timestamp(options.modified),
    zip64 ? longSizes(bytes.length, data.length, offset) : Buffer.alloc(0),
  ]);

  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE(((options.madeBy ?? 3) << 8) | 20, 4);
  header.writeUInt16LE(20, 6);
  header.writeUInt16LE(flags, 8);
  header.writeUInt16LE(method === 'stored' ? 0 : 8, 10);
  header.writeUInt16LE(0x0021, 14);
  header.writeUInt32LE(crc32(bytes), 16);
  header.writeUInt32LE(zip64 ? 0xffffffff : data.length, 20);
  header.writeUInt32LE(zip64 ? 0xffffffff : bytes.length, 24);
  header.writeUInt16LE(rawName.length, 28);
  header.writeUInt16LE(extra.length, 30);
  header.writeUInt32LE(
    ((options.mode ?? (name.endsWith('/') ? 0o040755 : 0o100644)) << 16) >>> 0,
    38,
  );
  header.writeUInt32LE(zip64 ? 0xffffffff : offset, 42);

  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50, 0);
  header.copy(local, 4, 6, 30);
  local.writeUInt16LE(0, 28);
  const descriptor = Buffer.alloc(options.descriptor ? 16 : 0);
  if (options.descriptor) {
    local.fill(0, 14, 26);
    descriptor.writeUInt32LE(0x08074b50, 0);
    header.copy(descriptor, 4, 16, 28);
  }
  return {
    header: Buffer.concat([header, rawName, extra]),
    body: Buffer.concat([local, rawName, data, descriptor]),
    zip64,
  };
}

function timestamp(seconds: number): Buffer {
  const field = Buffer.from([0x55, 0x54, 5, 0, 1, 0, 0, 0, 0]);
  field.writeInt32LE(seconds, 5);
  return field;
}

function longSizes(size: number, compressed: number, offset: number): Buffer {
  const field = Buffer.alloc(28);
  field.writeUInt16LE(1, 0);
  field.writeUInt16LE(24, 2);
  [size, compressed, offset].forEach((value, index) => {
    field.writeBigUInt64LE(BigInt(value), 4 + 8 * index);
  });
  return field;
}

function endOf(entries: number, size: number, offset: number, long: boolean): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  const many = long || entries > 0xffff;
  end.writeUInt16LE(many ? 0xffff : entries, 8);
  end.writeUInt16LE(many ? 0xffff : entries, 10);
  end.writeUInt32LE(many ? 0xffffffff : size, 12);
  end.writeUInt32LE(many ? 0xffffffff : offset, 16);
  return many ? Buffer.concat([longEndOf(entries, size, offset), end]) : end;
}

function longEndOf(entries: number, size: number, offset: number): Buffer {
  const end = Buffer.alloc(76);
  end.writeUInt32LE(0x06064b50, 0);
  end.writeBigUInt64LE(44n, 4);
  [entries, entries, size, offset].forEach((value, index) => {
    end.writeBigUInt64LE(BigInt(value), 24 + 8 * index);
  });
  end.writeUInt32LE(0x07064b50, 56);
  end.writeBigUInt64LE(BigInt(offset + size), 64);
  end.writeUInt32LE(1, 72);
  return end;
}
