import { createHash } from 'node:crypto';
import { chmod, lutimes, mkdir, open, readdir, symlink, utimes } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { repositoryPaths } from '#forge/git/commands/repository-paths.ts';
import { markDeleting } from '#forge/repositories/repository-life-store.ts';
import { invalidateRepository } from '#forge/events/invalidate.ts';
import { ifThere } from '#platform/absent-files.ts';
import type { Database } from '#platform/database/database.ts';
import { readMigrations, type Migration } from '#platform/database/migration-files.ts';
import { openDatabase } from '#platform/database/open-database.ts';
import { OperatorError } from '#platform/operator-error.ts';
import { contains, realPath } from '#platform/real-path.ts';
import { restorePostgres } from '#platform/database/postgres-restore.ts';

import { forgetCodeStore, forgetShards, readyRepositories } from './backup-store.ts';
import { type Entry, readContents } from './contents.ts';
import { setOwner } from './file-copies.ts';
import { openGitChecks } from './git-checks.ts';
import { inParallel } from './in-parallel.ts';
import { dataFolder, type Manifest, readManifest, tablesFolder } from './manifest.ts';
import type { Progress } from './progress.ts';

export interface RestoreOptions {
  readonly backup: string;
  /** Absent or empty. */
  readonly data: string;
  /** A URL of openDatabase; undefined: SQLite in the data directory. */
  readonly database: string | undefined;
  /** Looks into every repository with `git fsck`. */
  readonly verify: boolean;
  readonly migrationsFolder: string;
}

export interface Restored {
  readonly manifest: Manifest;
  /** What `git fsck` said of repositories, by their number; those that were damaged before the backup are among them. */
  readonly faults: ReadonlyMap<number, string>;
}

/**
 * Makes a data directory of a backup, and checks each file against the list on the way. The file by which a server knows
 * its data directory comes last: one that was cut short is refused by the server.
 */
export async function restoreBackup(
  options: RestoreOptions,
  progress: Progress,
): Promise<Restored> {
  const backup = resolve(options.backup);
  const data = resolve(options.data);
  const manifest = await readManifest(backup);
  const migrations = await migrationsOf(manifest, options.migrationsFolder);
  requireDatabase(manifest, options.database);
  await claimData(data, backup);
  try {
    progress.step('Copying files and verifying checksums');
    const entries = await readContents(backup, manifest.contentsSha256);
    await restoreEntries(backup, data, entries, progress);
    progress.step('Opening the database');
    const database = await restoreDatabase(options, manifest, migrations, backup, data);
    try {
      await database.write(forgetShards);
      await database.write(forgetCodeStore);
      await markDeleted(database, manifest.deletedRepositories);
      const faults = options.verify ? await verify(database, data, progress) : new Map();
      await finishData(data, entries);
      return { manifest, faults };
    } finally {
      await database.close();
    }
  } finally {
    progress.end();
  }
}

/** Those that the saved database has, as this program declares them. */
async function migrationsOf(manifest: Manifest, folder: string): Promise<Migration[]> {
  const known = await readMigrations(folder);
  const needed = manifest.migrations.map(({ name, checksum }) => {
    const migration = known.find((candidate) => candidate.name === name);
    if (migration?.checksum === checksum) return migration;
    const sum = known.find(({ replaces }) => replaces.includes(name));
    if (sum) return sum;
    throw new OperatorError(
      `The backup was created by Hob ${manifest.programVersion} and needs its migration ${name}, which this version lacks. Restore with that version or a newer one.`,
    );
  });
  return [...new Set(needed)];
}

function requireDatabase({ database }: Manifest, url: string | undefined): void {
  const postgres = /^postgres(ql)?:/.test(url ?? '');
  if (database.engine === 'postgres' && !postgres) {
    throw new OperatorError(
      'The backup contains a PostgreSQL database: pass an empty database with --database postgres://….',
    );
  }
  if (database.engine === 'sqlite' && url !== undefined) {
    throw new OperatorError(
      'The backup contains a SQLite database, which is restored to the data directory: omit --database and unset DATABASE_URL.',
    );
  }
}

async function claimData(data: string, backup: string): Promise<void> {
  if (contains(await realPath(backup), await realPath(data))) {
    throw new OperatorError(
      'The data directory cannot be inside the backup folder, which stays as it is. Choose another folder.',
    );
  }
  await mkdir(data, { recursive: true, mode: 0o700 });
  const entries = (await readdir(data)).filter((name) => name !== 'lost+found');
  if (entries.length > 0) {
    throw new OperatorError(
      `The folder ${data} is not empty. Restore to an empty or a new folder.`,
    );
  }
  await chmod(data, 0o700);
}

async function restoreEntries(
  backup: string,
  data: string,
  entries: readonly Entry[],
  progress: Progress,
): Promise<void> {
  const below = `${dataFolder}/`;
  const pathOf = (entry: Entry): string => join(data, entry.path.slice(below.length));
  const selected = entries.filter((entry) => entry.path.startsWith(below));
  const folders = selected.filter((entry) => entry.type === 'folder');
  for (const folder of folders) await mkdir(pathOf(folder), { mode: 0o700 });
  let done = 0;
  await inParallel(entries, 8, async (entry) => {
    if (entry.type === 'folder') return;
    const target = entry.path.startsWith(below) ? pathOf(entry) : undefined;
    await (entry.type === 'link'
      ? restoreLink(entry, target)
      : restoreFile(join(backup, entry.path), entry, target));
    progress.at(`${(done += 1)} of ${entries.length - folders.length}`);
  });
  // From the bottom to the top: a folder's mode may forbid to put something into it.
  for (const folder of folders.toReversed()) {
    const path = pathOf(folder);
    await sync(path);
    await setOwner(path, folder);
    await chmod(path, folder.mode);
    await utimes(path, folder.mtime / 1000, folder.mtime / 1000);
  }
}

type LinkEntry = Extract<Entry, { type: 'link' }>;
type FileEntry = Extract<Entry, { type: 'file' }>;

async function restoreLink(entry: LinkEntry, target: string | undefined): Promise<void> {
  if (target === undefined) return;
  await symlink(entry.target, target);
  await setOwner(target, entry);
  await lutimes(target, entry.mtime / 1000, entry.mtime / 1000);
}

/** Reads the file, compares it with its entry, and writes it durably to its path if it has one. */
async function restoreFile(
  source: string,
  entry: FileEntry,
  target: string | undefined,
): Promise<void> {
  const from = await ifThere(open(source, 'r'));
  if (!from) throw damaged(`${source} is missing`);
  const to = target === undefined ? undefined : await open(target, 'wx', 0o600);
  try {
    const hash = createHash('sha256');
    for await (const piece of from.createReadStream({ autoClose: false, highWaterMark: 1 << 20 })) {
      hash.update(piece);
      await to?.appendFile(piece);
    }
    if (hash.digest('hex') !== entry.sha256) throw damaged(`${source} has changed`);
    await to?.chmod(entry.mode);
    await to?.utimes(entry.mtime / 1000, entry.mtime / 1000);
    await to?.sync();
  } finally {
    await from.close();
    await to?.close();
  }
  if (target !== undefined) await setOwner(target, entry);
}

function damaged(problem: string): OperatorError {
  return new OperatorError(`The backup is damaged: ${problem}.`);
}

async function restoreDatabase(
  options: RestoreOptions,
  { database: saved }: Manifest,
  migrations: readonly Migration[],
  backup: string,
  data: string,
): Promise<Database> {
  if (saved.engine === 'postgres' && options.database !== undefined) {
    await restorePostgres(options.database, migrations, saved, join(backup, tablesFolder));
  }
  const url = options.database ?? join(data, 'hob.sqlite');
  return openDatabase(url, { migrationsFolder: options.migrationsFolder });
}

/** The next start finishes their removal. */
async function markDeleted(database: Database, ids: readonly number[]): Promise<void> {
  await database.write(async (sql) => {
    for (const id of ids) await markDeleting(await invalidateRepository(sql, id), id);
  });
}

async function verify(
  database: Database,
  data: string,
  progress: Progress,
): Promise<Map<number, string>> {
  progress.step('Checking repositories with git fsck');
  const paths = repositoryPaths(join(data, 'repositories'));
  const ids = await database.read(readyRepositories);
  const faults = new Map<number, string>();
  const checks = await openGitChecks();
  let done = 0;
  try {
    await inParallel(ids, 2, async (id) => {
      const fault = await checks.faults(paths.repository(id));
      if (fault !== undefined) faults.set(id, fault);
      progress.at(`${(done += 1)} of ${ids.length}`);
    });
  } finally {
    await checks.close();
  }
  return faults;
}

async function finishData(data: string, entries: readonly Entry[]): Promise<void> {
  const path = join(data, 'lock');
  const lock = await open(path, 'wx', 0o600);
  await lock.sync();
  await lock.close();
  const root = entries.find((entry) => entry.path === dataFolder);
  if (root) {
    await setOwner(path, root);
    await setOwner(data, root);
  }
  await sync(data);
}

async function sync(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
