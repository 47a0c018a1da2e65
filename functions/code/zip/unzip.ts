import { open, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';

import { staysInside, ArchiveRefusal, shown } from '../archives/archive-path.ts';
import { withDiskSpace } from '#platform/disk-space.ts';
import { boundedTasks, makeFolder, syncFolders, writeNewFile } from '#platform/durable-files.ts';
import { BufferedFileReader } from '../archives/buffered-file-reader.ts';
import { pipeContent, smallBytesMax, smallContent } from './zip-content.ts';
import { readEntries } from './zip-directory.ts';
import { findDirectory } from './zip-end.ts';
import { planOf, type PlannedContent } from './zip-plan.ts';

export interface UnzipLimits {
  readonly entriesMax: number;
  /** The maximum size of all content together. */
  readonly bytesMax: number;
}

/**
 * Unpacks a zip archive into a new directory, durably, and returns the size of its content. Throws an ArchiveRefusal for an archive
 * that it does not accept; the directory may then be incomplete. No other process may write to it meanwhile.
 */
export async function unzip(archive: string, folder: string, limits: UnzipLimits): Promise<number> {
  const handle = await open(archive, 'r');
  try {
    const file = new BufferedFileReader(handle, (await handle.stat()).size);
    const directory = await findDirectory(file);
    const entries = await readEntries(file, directory, limits.entriesMax);
    const plan = await planOf(entries, directory.offset, limits.entriesMax);
    // No entry yields more than its header states (see pipeContent), so the sum is an upper bound.
    const size = plan.contents.reduce((sum, { entry }) => sum + entry.size, 0);
    if (size > limits.bytesMax) {
      throw new ArchiveRefusal('too-large', `The archive unpacks to ${size} bytes.`);
    }
    const folders = ['', ...plan.folders].map((path) => join(folder, path));
    const space = { bytes: size, files: folders.length + plan.contents.length };
    await withDiskSpace(dirname(folder), space, async () => {
      for (const path of folders) await makeFolder(path);
      await makeLinks(folder, await writeFiles(file, folder, plan.contents));
      await syncFolders(folders);
    });
    return size;
  } finally {
    await handle.close();
  }
}

interface Link {
  readonly path: string;
  readonly target: string;
}

/** Only reads the links; they are created after all files, so that nothing is written through one. */
async function writeFiles(
  file: BufferedFileReader,
  folder: string,
  contents: readonly PlannedContent[],
): Promise<Link[]> {
  const links: Link[] = [];
  const tasks = boundedTasks(filesAtOnce);
  try {
    for (const planned of contents) {
      const { entry } = planned;
      if (entry.kind === 'link') {
        links.push(await readLink(file, planned));
        // Nothing is written meanwhile, and what is read was read ahead: without a pause, thousands would hold up everything else.
        if (links.length % 100 === 0) await setImmediate();
        continue;
      }
      const path = join(folder, entry.path);
      // Any user of the host can read it: the function's user is not known here.
      const attributes = { mode: entry.executable ? 0o755 : 0o644, modified: entry.modified };
      if (entry.size > smallBytesMax) {
        await writeNewFile(path, attributes, (write) => pipeContent(file, planned, write));
        continue;
      }
      const content = await smallContent(file, planned);
      await tasks.start(() => writeNewFile(path, attributes, (write) => write(content)));
    }
  } finally {
    await tasks.ended();
  }
  return links;
}

/**
 * Files of an archive that are written at the same time. Each waits for the disk; more would occupy all threads of the pool.
 */
const filesAtOnce = 8;

async function readLink(file: BufferedFileReader, planned: PlannedContent): Promise<Link> {
  const { path, size } = planned.entry;
  const target = size > smallBytesMax ? '' : (await smallContent(file, planned)).toString();
  if (!staysInside(path, target)) {
    throw new ArchiveRefusal(
      'forbidden',
      `The symbolic link ${shown(path)} leads outside of the archive.`,
    );
  }
  return { path, target };
}

async function makeLinks(folder: string, links: readonly Link[]): Promise<void> {
  for (const { path, target } of links) await symlink(target, join(folder, path));
}
