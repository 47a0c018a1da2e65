import { chmod, link, lstat, readdir, readlink, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';

import { errorCode } from '#platform/error-code.ts';

import { parentPath, ArchiveRefusal, shown } from '../archives/archive-path.ts';
import { boundedTasks, makeFolder, writeNewFile } from '#platform/durable-files.ts';
import type { TarEntry } from './tar-reader.ts';

/** A root file system under construction: its links are resolved inside it. No other process writes to it meanwhile. */
export class RootfsBuilder {
  readonly #root: string;
  /** Paths known to be directories and not links: checking again would cost a system call for each part of each path. */
  #folders = new Set(['']);
  /** Paths created by the current layer. */
  #createdFolders = new Set<string>();
  /** Writes of small files in progress. */
  #writing = boundedTasks(filesAtOnce);

  constructor(root: string) {
    this.#root = root;
  }

  /** Resolves when all entries of the layer have been written. */
  async endLayer(): Promise<void> {
    this.#createdFolders = new Set();
    await this.#waitForCommands();
  }

  async apply(entry: TarEntry, content: AsyncIterable<Buffer>): Promise<void> {
    const named = imagePath(entry.name);
    if (named === '' || entry.kind === 'device') return;
    const folder = await this.#resolve(parentPath(named));
    const base = named.slice(named.lastIndexOf('/') + 1);
    if (base.startsWith(whiteout)) return this.#hide(folder, base);
    const path = folder === '' ? base : `${folder}/${base}`;
    if (entry.kind !== 'folder') await this.#remove(path);
    await this.#make(path, entry, content);
    this.#createdFolders.add(path);
  }

  /** Creates the files of `/etc` that a sandbox mounts its own over: it mounts each other file of the folder by itself where they are missing. */
  async makeMountPoints(): Promise<void> {
    if ((await this.#kind('etc')) !== 'folder') return;
    for (const path of ['etc/hosts', 'etc/resolv.conf']) {
      if ((await this.#kind(path)) !== undefined) continue;
      await writeNewFile(this.#at(path), { mode: 0o644, modified: 0 }, async () => {});
    }
  }

  /** Every folder, parents first. */
  folders(): string[] {
    return [...this.#folders].toSorted().map((path) => this.#at(path));
  }

  async #make(path: string, entry: TarEntry, content: AsyncIterable<Buffer>): Promise<void> {
    const target = this.#at(path);
    switch (entry.kind) {
      case 'folder':
        return this.#makeFolder(path, entry.mode);
      case 'file':
        return this.#makeFile(target, entry, content);
      case 'link':
        if (entry.target === '' || entry.target.includes('\0')) throw badLink(entry);
        return symlink(entry.target, target);
      case 'hard-link':
        return link(this.#at(await this.#existingFile(entry)), target);
      case 'device':
        // The sandbox provides the devices that a function may use.
        return;
    }
  }

  async #makeFile(target: string, entry: TarEntry, content: AsyncIterable<Buffer>): Promise<void> {
    const attributes = { mode: entry.mode & 0o777, modified: entry.modified };
    if (entry.size > smallBytesMax) {
      return writeNewFile(target, attributes, async (write) => {
        for await (const piece of content) await write(piece);
      });
    }
    const bytes = Buffer.concat(await Array.fromAsync(content));
    await this.#writing.start(() => writeNewFile(target, attributes, (write) => write(bytes)));
  }

  async #makeFolder(path: string, mode: number): Promise<void> {
    if ((await this.#kind(path)) !== 'folder') {
      await this.#remove(path);
      await makeFolder(this.#at(path));
    }
    // The server must be able to write below it, and to remove it later.
    await chmod(this.#at(path), (mode & 0o777) | 0o700);
    this.#folders.add(path);
  }

  async #existingFile(entry: TarEntry): Promise<string> {
    const named = imagePath(entry.target);
    const folder = await this.#resolve(parentPath(named));
    const path = join(folder, named.slice(named.lastIndexOf('/') + 1));
    const kind = named === '' ? undefined : await this.#kind(path);
    if (kind !== 'file' && kind !== 'link') throw badLink(entry);
    return path;
  }

  /** Resolves a path to a directory, following links as if this were the root; creates missing directories. */
  async #resolve(path: string): Promise<string> {
    if (this.#folders.has(path)) return path;
    let links = 0;
    let at = '';
    const parts = path.split('/');
    for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
      if (part === '' || part === '.') continue;
      if (part === '..') {
        at = parentPath(at);
        continue;
      }
      const next = at === '' ? part : `${at}/${part}`;
      const kind = this.#folders.has(next) ? 'folder' : await this.#kind(next);
      if (kind === 'file')
        throw new ArchiveRefusal('damaged', `${shown(next)} is not a directory.`);
      if (kind === 'link') {
        links += 1;
        if (links > linksMax) throw tooManyLinks(next);
        const target = await readlink(this.#at(next));
        if (target.startsWith('/')) at = '';
        parts.unshift(...target.split('/'));
        continue;
      }
      if (kind === undefined) await makeFolder(this.#at(next));
      this.#folders.add(next);
      at = next;
    }
    return at;
  }

  /** Whiteouts apply to the layers below; entries of this layer stay. */
  async #hide(folder: string, base: string): Promise<void> {
    if (base === opaque) return this.#hideAll(folder);
    const name = base.slice(whiteout.length);
    // Other names with this prefix are metadata of AUFS.
    if (name === '' || name === '.' || name === '..' || name.startsWith(whiteout)) return;
    const path = folder === '' ? name : `${folder}/${name}`;
    if (!this.#createdFolders.has(path)) await this.#remove(path);
  }

  async #hideAll(folder: string): Promise<void> {
    await this.#waitForCommands();
    for (const entry of await readdir(this.#at(folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (!this.#createdFolders.has(path)) await this.#remove(path);
      else if (entry.isDirectory()) await this.#hideAll(path);
    }
  }

  async #remove(path: string): Promise<void> {
    if ((await this.#kind(path)) === undefined) return;
    await rm(this.#at(path), { recursive: true });
    if (!this.#folders.has(path)) return;
    for (const known of this.#folders) {
      if (known === path || known.startsWith(`${path}/`)) this.#folders.delete(known);
    }
  }

  /** The type of the entry at a path, without following links; undefined where there is none. */
  async #kind(path: string): Promise<'folder' | 'link' | 'file' | undefined> {
    if (this.#createdFolders.has(path)) await this.#waitForCommands();
    try {
      const found = await lstat(this.#at(path));
      if (found.isDirectory()) return 'folder';
      return found.isSymbolicLink() ? 'link' : 'file';
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  async #waitForCommands(): Promise<void> {
    const writing = this.#writing;
    this.#writing = boundedTasks(filesAtOnce);
    await writing.ended();
  }

  #at(path: string): string {
    return join(this.#root, path);
  }
}

/**
 * Files of an image that are written at the same time: each waits for the disk, and one at a time that would take most of the
 * time.
 */
const filesAtOnce = 8;

/** File of an image that is written in one go. */
const smallBytesMax = 64 * 1024;

const whiteout = '.wh.';

const opaque = '.wh..wh..opq';

/** Links that a path in an image may lead through; as many as Linux follows. */
const linksMax = 40;

function tooManyLinks(path: string): ArchiveRefusal {
  return new ArchiveRefusal('forbidden', `Too many symbolic links in ${shown(path)}.`);
}

function badLink({ name }: TarEntry): ArchiveRefusal {
  return new ArchiveRefusal('damaged', `The target of the link ${shown(name)} does not exist.`);
}

/**
 * The path of an entry below the root that a layer is unpacked into. Other than in a deployment package, an image's names
 * may have a backslash or a leading slash.
 */
function imagePath(name: string): string {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  const path = parts.join('/');
  if (parts.includes('..') || name.includes('\0') || Buffer.byteLength(path) > pathBytesMax) {
    throw new ArchiveRefusal('forbidden', `A layer contains the invalid path ${shown(name)}.`);
  }
  if (parts.some((part) => Buffer.byteLength(part) > nameBytesMax)) {
    throw new ArchiveRefusal(
      'forbidden',
      `A layer contains a name that is too long: ${shown(name)}.`,
    );
  }
  return path;
}

/** Path in a layer of an image. */
const pathBytesMax = 3072;

/** One name of a path in a layer of an image. */
const nameBytesMax = 255;
