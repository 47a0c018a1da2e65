/** What a program finds at `/`: a list of steps that any kind of sandbox can take, in their order. */
import { lstatSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { entryAt } from '../storage/follow-links.ts';
import type { Mount } from '../launcher.ts';

export type RootfsEntry =
  | { readonly kind: 'folder'; readonly to: string }
  | {
      readonly kind: 'link';
      readonly target: string;
      readonly to: string;
      /** The link that this one is like. */
      readonly from: string;
    }
  | {
      readonly kind: 'mount';
      readonly from: string;
      readonly to: string;
      readonly writable: boolean;
    }
  | { readonly kind: 'processes'; readonly to: string }
  | { readonly kind: 'devices'; readonly to: string };

export interface RootOptions {
  /** An image's folder; the host's programs otherwise. */
  readonly image?: string;
  readonly mounts: readonly Mount[];
  /** The directory of the sandbox's own `/tmp`. */
  readonly temporary: string;
  /** The sandbox's own files of `/etc`, by name. */
  readonly etc: Readonly<Record<string, string>>;
  /** Whether a file can be mounted over one that is read-only; not by a shell, which writes to it first. */
  readonly mountsOverFiles?: boolean;
}

export function rootfsEntries(options: RootOptions): RootfsEntry[] {
  const ours: RootfsEntry[] = [
    ...Object.entries(options.etc).map(([name, from]) => readOnly(from, `/etc/${name}`)),
    { kind: 'processes', to: '/proc' },
    { kind: 'devices', to: '/dev' },
    { kind: 'mount', from: options.temporary, to: '/tmp', writable: true },
    ...options.mounts.map(mountStep),
  ];
  const base =
    options.image === undefined
      ? hostSteps(new Set(Object.keys(options.etc)))
      : imageSteps(
          options.image,
          { from: options.image, to: '/' },
          ours.map((step) => step.to),
          options.mountsOverFiles === true
            ? new Set(Object.keys(options.etc).map((name) => `/etc/${name}`))
            : new Set(),
        );
  return withParents([...base, ...ours]);
}

/** Parent directories are created explicitly: those that the sandbox creates itself would be closed to other users. */
function withParents(steps: readonly RootfsEntry[]): RootfsEntry[] {
  const there = new Set(['/']);
  return steps.flatMap((step) => {
    const missing = parentsOf(step.to).filter((parent) => !there.has(parent));
    for (const path of [...missing, step.to]) there.add(path);
    return [...missing.map((to): RootfsEntry => ({ kind: 'folder', to })), step];
  });
}

function parentsOf(path: string): string[] {
  const names = path.split('/').slice(1, -1);
  return names.map((_, index) => `/${names.slice(0, index + 1).join('/')}`);
}

function mountStep({ from, to, writable }: Mount): RootfsEntry {
  if (resolve(to) !== to || to === '/') throw new TypeError(`Cannot mount at ${to}.`);
  return { kind: 'mount', from, to, writable: writable === true };
}

function readOnly(from: string, to: string): RootfsEntry {
  return { kind: 'mount', from, to, writable: false };
}

/** Programs, libraries, certificates and tables; nothing that identifies the host or its users. */
const hostFolders = ['usr', 'bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'];
const hostEtc = [
  'alternatives',
  'ca-certificates',
  'crypto-policies',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'localtime',
  'mime.types',
  'pki',
  'protocols',
  'services',
  'ssl',
];

function hostSteps(taken: ReadonlySet<string>): RootfsEntry[] {
  const etc = hostEtc.filter((name) => !taken.has(name)).map((name) => `/etc/${name}`);
  return [...hostFolders.map((name) => `/${name}`), ...etc].flatMap((path) =>
    entryStep(path, path),
  );
}

/**
 * An image is read-only, so nothing can be mounted on it where it has no mount point: parent directories of a mount are created
 * anew, with all other entries taken from the image: a mount each, of which bubblewrap takes longer the more there are. A link on the path is
 * replaced too, since the mount would end up at its target. `files` are those that can be mounted over files of the image.
 */
function imageSteps(
  image: string,
  folder: { readonly from: string; readonly to: string },
  taken: readonly string[],
  files: ReadonlySet<string>,
): RootfsEntry[] {
  return readdirSync(folder.from).flatMap((name): RootfsEntry[] => {
    const to = join(folder.to, name);
    if (taken.includes(to)) return [];
    const below = taken.filter((path) => path.startsWith(`${to}/`));
    if (below.length === 0) return entryStep(join(folder.from, name), to);
    const own = entryAt(to, (path) => join(image, path));
    if (!own?.stats.isDirectory()) return [{ kind: 'folder', to }];
    if (below.every((path) => files.has(path) && isFile(own.path + path.slice(to.length)))) {
      return [readOnly(own.path, to)];
    }
    return [{ kind: 'folder', to }, ...imageSteps(image, { from: own.path, to }, taken, files)];
  });
}

/** No link to one. */
function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function entryStep(from: string, to: string): RootfsEntry[] {
  const entry = lstatSync(from, { throwIfNoEntry: false });
  if (!entry) return [];
  if (!entry.isSymbolicLink()) return [readOnly(from, to)];
  // A link that leads outside the root would be dangling, so it is replaced by its target.
  const target = readlinkSync(from);
  const outside = to.startsWith('/etc/') && from === to;
  if (!outside) return [{ kind: 'link', target, to, from }];
  return statSync(from, { throwIfNoEntry: false }) ? [readOnly(from, to)] : [];
}
