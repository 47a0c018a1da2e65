import { open } from 'node:fs/promises';

import { BufferedFileReader } from '../archives/buffered-file-reader.ts';
import { pipeContent } from './zip-content.ts';
import { readEntries, type ZipEntry } from './zip-directory.ts';
import { findDirectory } from './zip-end.ts';
import { planOf } from './zip-plan.ts';

/** A zip archive as it is read without being unpacked. */
export interface ArchiveReader {
  /** Files and links, by path. */
  readonly entries: readonly ZipEntry[];
  /** The whole content of an entry, verified; the caller has looked at its size. */
  content(entry: ZipEntry): Promise<Buffer>;
}

export async function readArchive<T>(
  path: string,
  entriesMax: number,
  use: (archive: ArchiveReader) => Promise<T>,
): Promise<T> {
  await using handle = await open(path, 'r');
  const file = new BufferedFileReader(handle, (await handle.stat()).size);
  const directory = await findDirectory(file);
  const entries = await readEntries(file, directory, entriesMax);
  const { contents } = await planOf(entries, directory.offset, entriesMax);
  const planned = new Map(contents.map((each) => [each.entry, each]));
  return await use({
    entries: [...planned.keys()].toSorted((one, other) => (one.path < other.path ? -1 : 1)),
    async content(entry) {
      const found = planned.get(entry);
      if (!found) throw new Error('The entry is not of this archive.');
      const pieces: Buffer[] = [];
      await pipeContent(file, found, async (piece) => {
        pieces.push(piece);
      });
      return Buffer.concat(pieces);
    },
  });
}
