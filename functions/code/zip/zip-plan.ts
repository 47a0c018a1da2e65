import { setImmediate } from 'node:timers/promises';

import { parentPath, ArchiveRefusal, shown } from '../archives/archive-path.ts';
import type { ZipEntry } from './zip-directory.ts';

/** The directories and files to create, checked for conflicts before anything is written. */
export interface ZipPlan {
  /** Parents first. */
  readonly folders: readonly string[];
  /** Files and links in the order of their position in the archive, each with the offset at which its bytes must end. */
  readonly contents: readonly PlannedContent[];
}

export interface PlannedContent {
  readonly entry: ZipEntry;
  readonly limit: number;
}

/**
 * Throws when two entries share bytes, when a path has two types, or when there are too many directories. Yields to other work
 * meanwhile.
 */
export async function planOf(
  entries: readonly ZipEntry[],
  directoryOffset: number,
  foldersMax: number,
): Promise<ZipPlan> {
  const tree = new Map<string, ZipEntry | 'folder'>([['', 'folder']]);
  const folders: string[] = [];

  function addFolder(path: string): void {
    const known = tree.get(path);
    if (known === 'folder') return;
    if (known) throw twoThings(path);
    addFolder(parentPath(path));
    if (folders.length >= foldersMax) {
      throw new ArchiveRefusal('forbidden', `The archive has more than ${foldersMax} folders.`);
    }
    tree.set(path, 'folder');
    folders.push(path);
  }

  for (const [index, entry] of entries.entries()) {
    if (index % 1000 === 999) await setImmediate();
    if (entry.kind === 'folder') {
      addFolder(entry.path);
      continue;
    }
    addFolder(parentPath(entry.path));
    const known = tree.get(entry.path);
    // Of two files with one name the later one counts, as in all common tools.
    if (known === 'folder' || (known && known.kind !== entry.kind)) throw twoThings(entry.path);
    tree.set(entry.path, entry);
  }
  const contents = inFileOrder(entries, directoryOffset).filter(
    ({ entry }) => tree.get(entry.path) === entry,
  );
  return { folders, contents };
}

/** Overlapping entries let a small archive unpack to petabytes. */
function inFileOrder(entries: readonly ZipEntry[], directoryOffset: number): PlannedContent[] {
  const byOffset = new Map(entries.map((entry) => [entry.offset, entry]));
  if (byOffset.size !== entries.length) throw overlapping();
  // Typed arrays sort natively: a comparison function would block other requests with 50,000 entries in random order.
  const offsets = Float64Array.from(byOffset.keys()).toSorted();
  return Array.from(offsets, (offset, index) => {
    const entry = byOffset.get(offset);
    if (!entry) throw new Error('An offset has no entry.');
    const limit = offsets[index + 1] ?? directoryOffset;
    if (offset + localHeaderLength + entry.rawName.length + entry.compressedSize > limit) {
      throw overlapping();
    }
    return { entry, limit };
  });
}

export const localHeaderLength = 30;

function overlapping(): ArchiveRefusal {
  return new ArchiveRefusal('forbidden', 'Entries of the archive overlap.');
}

function twoThings(path: string): ArchiveRefusal {
  return new ArchiveRefusal(
    'forbidden',
    `Entry ${shown(path)} appears twice with different types.`,
  );
}
