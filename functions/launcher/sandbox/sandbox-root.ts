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
 * anew, with all other entries taken from the image. A link on the path is replaced too, since the mount would end up at its target.
 */
function imageSteps(
  image: string,
  folder: { readonly from: string; readonly to: string },
  taken: readonly string[],
): RootfsEntry[] {
  return readdirSync(folder.from).flatMap((name): RootfsEntry[] => {
    const to = join(folder.to, name);
    if (taken.includes(to)) return [];
    if (!taken.some((path) => path.startsWith(`${to}/`))) {
      return entryStep(join(folder.from, name), to);
    }
    const own = entryAt(to, (path) => join(image, path));
    const content = own?.stats.isDirectory()
      ? imageSteps(image, { from: own.path, to }, taken)
      : [];
    return [{ kind: 'folder', to }, ...content];
  });
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
