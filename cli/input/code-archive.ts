import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';

import { unzippedBytesMax, zipEntriesMax, zippedBytesMax } from '#functions-contract/limits.ts';
import { writeZip, type ZipFile } from '#platform/zip/write-zip.ts';

import { CliError } from '../context/errors.ts';

export interface CodeArchive {
  readonly bytes: Uint8Array;
  /** Base64, as the service reports it. */
  readonly sha256: string;
}

/**
 * The archive of what `codeUri` names below the folder of a template: a folder, or a zip file as it is. It has the bytes of the archive that the server makes of the same folder of a
 * repository: files in the order of their paths, fixed times, no folders.
 */
export async function archiveOf(folder: string, codeUri: string): Promise<CodeArchive> {
  const shown = codeUri === '' ? '.' : codeUri;
  const bytes = await bytesOf(await pathOf(folder, codeUri), shown);
  if (bytes.length > zippedBytesMax) {
    throw new CliError(255, `${shown}: the archive has more than ${zippedBytesMax} bytes.`);
  }
  return { bytes, sha256: createHash('sha256').update(bytes).digest('base64') };
}

/**
 * The path without links on the way, as the server reads a repository: one of a checkout could lead to other files of the user. The folder of the
 * template is the user's own choice.
 */
async function pathOf(folder: string, codeUri: string): Promise<string> {
  let path = await realpath(folder);
  if (codeUri === '') return path;
  const parts = codeUri.split('/');
  for (const [index, part] of parts.entries()) {
    // One that is not there is reported where it is read.
    const isLink = await lstat(path).then(
      (found) => found.isSymbolicLink(),
      () => false,
    );
    if (isLink) {
      const link = parts.slice(0, index).join('/');
      throw new CliError(255, `${codeUri} leads through the symbolic link ${link}.`);
    }
    path = join(path, part);
  }
  return path;
}

async function bytesOf(path: string, shown: string): Promise<Uint8Array> {
  const found = await lstat(path).catch((error: unknown) => {
    throw new CliError(255, `${shown}: ${error instanceof Error ? error.message : 'unreadable'}`);
  });
  if (found.isFile() && path.endsWith('.zip')) return readFile(path);
  if (!found.isDirectory()) throw new CliError(255, `${shown} is neither a folder nor a zip file.`);
  const files = (await filesOf(path, '', shown)).toSorted((one, other) =>
    Buffer.compare(Buffer.from(one.path), Buffer.from(other.path)),
  );
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (files.length > zipEntriesMax || bytes > unzippedBytesMax) {
    throw new CliError(
      255,
      `${shown} has more than ${zipEntriesMax} files or ${unzippedBytesMax} bytes.`,
    );
  }
  return Buffer.concat(await Array.fromAsync(writeZip(contentsOf(path, files))));
}

interface FoundFile {
  readonly path: string;
  readonly kind: ZipFile['kind'];
  readonly size: number;
}

async function filesOf(root: string, below: string, shown: string): Promise<FoundFile[]> {
  const found: FoundFile[] = [];
  for (const name of await readdir(join(root, below))) {
    if (name === '.git') continue;
    const path = below === '' ? name : `${below}/${name}`;
    const stats = await lstat(join(root, path));
    if (stats.isDirectory()) found.push(...(await filesOf(root, path, shown)));
    else if (stats.isSymbolicLink()) found.push({ path, kind: 'link', size: stats.size });
    else if (stats.isFile()) {
      const kind = (stats.mode & 0o100) === 0 ? 'file' : 'executable';
      found.push({ path, kind, size: stats.size });
    } else throw new CliError(255, `${shown}/${path} is neither a file, a folder nor a link.`);
  }
  return found;
}

async function* contentsOf(root: string, files: readonly FoundFile[]): AsyncGenerator<ZipFile> {
  for (const { path, kind } of files) {
    const file = join(root, path);
    const content =
      kind === 'link' ? await readlink(file, { encoding: 'buffer' }) : await readFile(file);
    yield { path, kind, content };
  }
}
