import type { Readable } from 'node:stream';

import type { ByteRange } from '#platform/byte-range.ts';

/** The files of release assets. Each has a name that is never used again, and does not change. */
export interface AssetFiles {
  /** Stores what the stream has, durable when it resolves; refuses more bytes than the maximum and a stream that is cut off. */
  write(content: Readable, bytesMax: number): Promise<AssetFile>;
  open(file: string, range: ByteRange): Promise<Readable>;
  /** The names of all files, in parts. */
  list(): AsyncIterable<readonly string[]>;
  remove(file: string): Promise<void>;
  /** Removes what a crash cut off: to which nothing has been written since that time. */
  removeUnfinished(before: number): Promise<void>;
}

export interface AssetFile {
  readonly file: string;
  readonly size: number;
  readonly sha256: string;
}
