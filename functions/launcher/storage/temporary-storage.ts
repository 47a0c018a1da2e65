/** Storage for a sandbox's `/tmp`: it has a size, belongs to the sandbox's user and outlives its programs. */
import { chown, mkdir, open, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';

import { inBackground, reportError } from '#platform/in-background.ts';

import type { HostTools } from '../process/host-tools.ts';
import { removeTree } from './remove-tree.ts';
import { runTool } from '../process/start-process.ts';

export interface TemporaryStorage {
  /** A folder that belongs to `user`. */
  make(id: string, mebibytes: number, user: number | undefined): Promise<StorageFolder>;
  /** Removes what was made in advance. */
  close(): Promise<void>;
}

export interface StorageFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/**
 * File systems for `/tmp` that are made and mounted ahead, of the size asked for last, usually the default: it takes longer
 * than the rest of a sandbox.
 */
const readyMax = 2;

/**
 * A file system of its own in a sparse file: exactly as big as asked for, and what is in it is on disk, where a tmpfs would count
 * against the program's memory.
 */
export function imageStorage(
  tools: Required<Pick<HostTools, 'mkfs.ext4' | 'mount' | 'umount'>>,
  imageFolder: string,
  mountFolder: string,
  refillMilliseconds = 250,
): TemporaryStorage {
  let created = 0;
  let readySize = 0;
  let ready: Promise<StorageFolder>[] = [];

  async function makeFolder(mebibytes: number): Promise<StorageFolder> {
    created += 1;
    const path = join(mountFolder, String(created));
    const image = join(imageFolder, `temporary-${created}`);
    try {
      await Promise.all([makeImage(image, mebibytes), mkdir(path, { recursive: true })]);
      await runTool([tools.mount, '-t', 'ext4', '-o', 'loop,nosuid,nodev', image, path]);
    } catch (error) {
      // On a full disk every byte counts.
      await rm(image, { force: true });
      throw error;
    }
    await rm(join(path, 'lost+found'), { recursive: true, force: true });
    return {
      path,
      async remove() {
        // Writing back data that will not be read would take long; the kernel drops the data of an unlinked file.
        await rm(image, { force: true });
        await runTool([tools.umount, '--lazy', path]);
        await rmdir(path);
      },
    };
  }

  async function makeImage(path: string, mebibytes: number): Promise<void> {
    const file = await open(path, 'wx', 0o600);
    try {
      await file.truncate(imageBytes(mebibytes));
    } finally {
      await file.close();
    }
    const features = '^has_journal,^resize_inode';
    const speed = 'nodiscard,lazy_itable_init=1,root_owner=0:0';
    // The tool's defaults depend on the size, and would change the usable capacity.
    const sizes = ['-b', '4096', '-i', '16384', '-m', '0'];
    await runTool([tools['mkfs.ext4'], '-q', '-F', ...sizes, '-O', features, '-E', speed, path]);
  }

  function take(mebibytes: number): Promise<StorageFolder> {
    if (readySize !== mebibytes) {
      inBackground(removeAll(ready));
      [readySize, ready] = [mebibytes, []];
    }
    const folder = ready.shift() ?? makeFolder(mebibytes);
    // Only after the program that took it has started: creating another would slow that start down.
    const later = (): unknown => setTimeout(refill, refillMilliseconds, mebibytes).unref();
    // The caller gets a failure.
    folder.then(later, () => {});
    return folder;
  }

  function refill(mebibytes: number): void {
    if (readySize !== mebibytes || ready.length >= readyMax) return;
    const folder = makeFolder(mebibytes);
    ready.push(folder);
    inBackground(folder, (error) => {
      // The next sandbox creates its own, and its caller receives the error.
      ready = ready.filter((other) => other !== folder);
      reportError(error);
    });
  }

  return {
    async make(_id, mebibytes, user) {
      const folder = await take(mebibytes);
      try {
        await own(folder.path, user);
      } catch (error) {
        await folder.remove();
        throw error;
      }
      return folder;
    },
    async close() {
      // Nothing is made any more.
      readySize = 0;
      await removeAll(ready.splice(0));
    },
  };
}

async function removeAll(folders: readonly Promise<StorageFolder>[]): Promise<void> {
  // Failures have already been reported.
  const created = (await Promise.allSettled(folders)).filter((end) => end.status === 'fulfilled');
  const removed = await Promise.allSettled(created.map(({ value }) => value.remove()));
  for (const end of removed) if (end.status === 'rejected') reportError(end.reason);
}

/** A file system needs more than its contents: one 64th for its inodes, up to 16 MiB reserved, and a little more. */
function imageBytes(mebibytes: number): number {
  const heldBack = Math.min(16, mebibytes / 50);
  return Math.ceil(mebibytes + mebibytes / 60 + heldBack + 2) * 2 ** 20;
}

/** A sized tmpfs: for hosts where no cgroup charges it to the program's memory, or where there is no alternative. */
export function memoryStorage(
  tools: Required<Pick<HostTools, 'mount' | 'umount'>>,
  mountFolder: string,
): TemporaryStorage {
  return {
    async make(id, mebibytes, user) {
      const path = join(mountFolder, id);
      await mkdir(path, { recursive: true });
      const options = `size=${mebibytes}m,mode=700,nosuid,nodev`;
      await runTool([tools.mount, '-t', 'tmpfs', '-o', options, 'temporary', path]);
      await own(path, user);
      return {
        path,
        async remove() {
          await runTool([tools.umount, '--lazy', path]);
          await rmdir(path);
        },
      };
    },
    close: () => Promise.resolve(),
  };
}

/** A directory of the host: for hosts that do not allow mounts. */
export function folderStorage(parent: string): TemporaryStorage {
  return {
    async make(id, _mebibytes, user) {
      const path = join(parent, id);
      await mkdir(parent, { recursive: true, mode: 0o711 });
      await mkdir(path, { recursive: true, mode: 0o700 });
      await own(path, user);
      return { path, remove: () => removeTree(path) };
    },
    close: () => Promise.resolve(),
  };
}

async function own(path: string, user: number | undefined): Promise<void> {
  if (user !== undefined) await chown(path, user, user);
}
