import { constants } from 'node:fs';
import {
  chmod,
  copyFile,
  lchown,
  link,
  lstat,
  lutimes,
  mkdir,
  readdir,
  stat,
} from 'node:fs/promises';
import { readlink, symlink, utimes } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import { join } from 'node:path';

import { ifThere } from '#platform/absent-files.ts';
import { errorCode } from '#platform/error-code.ts';

/** How files get into a backup: `link` for those that are never written to again, `copy` for all others. */
export type CopyMode = 'link' | 'copy';

/**
 * Copies what is in a folder, as far as it is there: files that vanish meanwhile are not needed. Links stay links; sockets
 * and the like are left out. `skip` is asked with the path below `source`.
 */
export async function copyFolder(
  source: string,
  target: string,
  mode: CopyMode,
  skip: (path: string) => boolean = () => false,
): Promise<void> {
  const folders = [''];
  const created: { readonly path: string; readonly stats: Stats }[] = [];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    // The first may be a link to where the operator has put it.
    const stats = await ifThere(folder === '' ? stat(source) : lstat(join(source, folder)));
    if (!stats) continue;
    await mkdir(join(target, folder), { recursive: true, mode: 0o700 });
    created.push({ path: join(target, folder), stats });
    for (const name of (await ifThere(readdir(join(source, folder)))) ?? []) {
      const path = folder === '' ? name : `${folder}/${name}`;
      if (skip(path)) continue;
      const kind = await copyEntry(join(source, path), join(target, path), mode);
      if (kind === 'folder') folders.push(path);
    }
  }
  // From the bottom to the top: a file put into a folder would change its time, and may be forbidden by its mode.
  for (const { path, stats } of created.toReversed()) {
    await chmod(path, stats.mode & 0o7777);
    await setOwner(path, stats);
    await utimes(path, stats.atime, stats.mtime);
  }
}

/** Copies a file or a link; returns what was copied. */
export async function copyEntry(
  source: string,
  target: string,
  mode: CopyMode,
): Promise<'copied' | 'folder' | 'gone' | 'other'> {
  const stats = await ifThere(lstat(source));
  if (!stats) return 'gone';
  if (stats.isDirectory()) return 'folder';
  if (stats.isSymbolicLink()) {
    const leadsTo = await ifThere(readlink(source));
    if (leadsTo === undefined) return 'gone';
    await symlink(leadsTo, target);
    await setOwner(target, stats);
    await lutimes(target, stats.atime, stats.mtime);
    return 'copied';
  }
  if (!stats.isFile()) return 'other';
  if (mode === 'link' && (await linked(source, target))) return 'copied';
  const copied = await ifThere(
    copyFile(source, target, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL).then(() => true),
  );
  if (copied === undefined) return 'gone';
  await chmod(target, stats.mode & 0o7777);
  await setOwner(target, stats);
  await utimes(target, stats.atime, stats.mtime);
  return 'copied';
}

/** Only root can give files to other users; other users own their files anyway. */
export async function setOwner(
  path: string,
  { uid, gid }: { readonly uid: number; readonly gid: number },
): Promise<void> {
  if (process.getuid?.() === 0) await lchown(path, uid, gid);
}

/** False where the file system allows no second name, or the file is gone: the copy then reports it. */
async function linked(source: string, target: string): Promise<boolean> {
  try {
    await link(source, target);
    return true;
  } catch (error) {
    if (['EMLINK', 'EPERM', 'EXDEV', 'ENOTSUP', 'ENOENT'].includes(errorCode(error) ?? ''))
      return false;
    throw error;
  }
}
