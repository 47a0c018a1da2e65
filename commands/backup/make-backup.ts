import { access, chmod, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';

import { repositoryPaths, type RepositoryPaths } from '#forge/git/commands/repository-paths.ts';
import type { ArchivesLocation } from '#functions/code/archives/archives-location.ts';
import { markerName } from '#functions/code/archives/store-marker.ts';
import { ifThere } from '#platform/absent-files.ts';
import type { Clock } from '#platform/clock.ts';
import type { DatabaseSnapshot, SavedDatabase } from '#platform/database/database-snapshot.ts';
import { openSnapshot } from '#platform/database/open-snapshot.ts';
import { OperatorError } from '#platform/operator-error.ts';
import { contains, realPath } from '#platform/real-path.ts';

import { isReady } from './backup-store.ts';
import { writeContents } from './contents.ts';
import { archivesFolder, copyArchives } from './copy-archives.ts';
import { copyObjects } from './copy-objects.ts';
import { copyFolder } from './file-copies.ts';
import { freezeRefs } from './freeze-refs.ts';
import { type GitChecks, openGitChecks } from './git-checks.ts';
import { inParallel } from './in-parallel.ts';
import {
  createManifest,
  dataFolder,
  type Manifest,
  tablesFolder,
  writeManifest,
} from './manifest.ts';
import type { Progress } from './progress.ts';
import { findSourceRepositories, type SourceRepositories } from './source-repositories.ts';

export interface BackupOptions {
  /** The data directory of a server that runs or does not. */
  readonly data: string;
  /** A URL of openDatabase. */
  readonly database: string;
  /** The store of archives that the server has besides the data directory. */
  readonly code: ArchivesLocation | undefined;
  /** Absent or empty. */
  readonly target: string;
  readonly programVersion: string;
}

/**
 * Copies all data of a server as of one point in time, while the server runs. The state of that time is
 * frozen first (freeze-refs.ts); the objects, code and files that it names are copied after it, since those only come to
 * be more. The manifest is written last, so that a backup that was cut short is known by its lack.
 */
export async function makeBackup(
  options: BackupOptions,
  clock: Clock,
  progress: Progress,
): Promise<Manifest> {
  const source = resolve(options.data);
  const target = resolve(options.target);
  await claimTarget(source, target);
  const copy = join(target, dataFolder);
  const database = await openSnapshot(options.database);
  const checks = await openGitChecks();
  try {
    progress.step('Freezing refs and keys');
    const repositories = await findSourceRepositories(database, source);
    const frozen = await freezeRefs({
      database,
      source: repositories,
      copy: pathsIn(copy),
      keys: { from: join(source, 'functions'), to: join(copy, 'functions') },
    });
    const frozenAt = new Date(clock.now()).toISOString();
    progress.step('Copying the database');
    const saved = await saveDatabase(database, target, progress);
    progress.step('Copying repositories');
    const copying = { database, source: repositories, copy: pathsIn(copy), checks };
    const outcome = await copyRepositories(copying, frozen.repositories, progress);
    await repositories.requireReached();
    progress.step('Copying functions and logs');
    await copyRest(source, copy, options.database);
    const codes = { location: options.code, claim: frozen.codeStore, named: frozen.archives };
    await copyArchives(codes, copy, (done) => progress.at(`${done} archives of code`));
    await requireCodes(copy, frozen.codes);
    await requireAssets(copy, frozen.assets);
    progress.step('Syncing files and computing checksums');
    const contents = await writeContents(target, await stat(source), (files) =>
      progress.at(`${files} files`),
    );
    const manifest = createManifest({
      programVersion: options.programVersion,
      frozenAt,
      database: saved,
      migrations: frozen.migrations,
      repositories: frozen.repositories.length - outcome.deleted.length,
      deletedRepositories: outcome.deleted,
      damagedRepositories: outcome.damaged,
      entries: contents.entries,
      bytes: contents.bytes,
      contentsSha256: contents.sha256,
    });
    await writeManifest(target, manifest);
    return manifest;
  } finally {
    progress.end();
    await checks.close();
    await database.close();
  }
}

function pathsIn(data: string): RepositoryPaths {
  return repositoryPaths(join(data, 'repositories'));
}

async function claimTarget(source: string, target: string): Promise<void> {
  await access(join(source, 'lock')).catch((cause: unknown) => {
    throw new OperatorError(
      `${source} is not a data directory: it has no file "lock". Pass the data directory with --data.`,
      { cause },
    );
  });
  if (contains(await realPath(source), await realPath(target))) {
    throw new OperatorError(
      'The backup folder cannot be inside the data directory. Choose another folder.',
    );
  }
  await mkdir(target, { recursive: true, mode: 0o700 });
  if ((await readdir(target)).length > 0) {
    throw new OperatorError(`The folder ${target} is not empty. Use a new folder for each backup.`);
  }
  // It contains the service key and the data of all users.
  await chmod(target, 0o700);
}

async function saveDatabase(
  database: DatabaseSnapshot,
  target: string,
  progress: Progress,
): Promise<SavedDatabase> {
  const folder = join(target, database.engine === 'sqlite' ? dataFolder : tablesFolder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const saved = await database.save(folder, (share) => progress.at(`${Math.floor(share * 100)} %`));
  if (saved.engine === 'sqlite') await chmod(join(folder, saved.file), 0o600);
  return saved;
}

interface CopyingRepositories {
  readonly database: DatabaseSnapshot;
  readonly source: SourceRepositories;
  /** All in the folder of the default shard. */
  readonly copy: RepositoryPaths;
  readonly checks: GitChecks;
}

async function copyRepositories(
  copying: CopyingRepositories,
  ids: readonly number[],
  progress: Progress,
): Promise<{ deleted: number[]; damaged: number[] }> {
  const deleted: number[] = [];
  const damaged: number[] = [];
  let done = 0;
  await inParallel(ids, 4, async (id) => {
    const outcome = await copyRepository(copying, id);
    if (outcome === 'deleted') deleted.push(id);
    if (outcome === 'damaged') damaged.push(id);
    progress.at(`${(done += 1)} of ${ids.length}`);
  });
  return { deleted: deleted.toSorted(ascending), damaged: damaged.toSorted(ascending) };
}

const ascending = (one: number, other: number): number => one - other;

/** Refs of the copy that lead to nothing, whatever is tried, are those of a repository that was damaged before. */
async function copyRepository(
  { database, source, copy, checks }: CopyingRepositories,
  id: number,
): Promise<'copied' | 'deleted' | 'damaged'> {
  const to = copy.repository(id);
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const from = await database.read((sql) => source.pathOf(sql, id));
    const found = await ifThere(copyObjects(from, to).then(() => true));
    if (found && (await checks.missingObjects(to)) === undefined) return 'copied';
    if (!(await database.read((sql) => isReady(sql, id)))) {
      await rm(to, { recursive: true, force: true });
      return 'deleted';
    }
  }
  return 'damaged';
}

/** Attempts to copy a repository that moves to another shard meanwhile. */
const attemptsMax = 3;

/**
 * What exists in addition to the repositories and the database. Assets, code and images never change once they have their name; merged layers
 * are made again when they are needed.
 */
async function copyRest(source: string, copy: string, databaseUrl: string): Promise<void> {
  const database = relative(source, databaseUrl.replace(/^sqlite:/, ''));
  const isDatabase = (path: string): boolean =>
    ['', '-wal', '-shm', '-journal'].some((suffix) => path === `${database}${suffix}`);
  await copyFolder(source, copy, 'copy', (path) => notCopied.test(path) || isDatabase(path));
  for (const folder of ['assets', archivesFolder, 'functions/code', 'functions/images']) {
    await copyFolder(join(source, folder), join(copy, folder), 'link', isLeftOut);
  }
}

/** What belongs to a running server, is copied in a way of its own, or can be made again. */
const notCopied =
  /^(lock(-journal)?|server\.pid|sockets|repositories|assets|functions\/(archives|archive-copies|code|images|layers|launcher|service-key[^/]*))$/;

/** What is unfinished, and the key of a store of code: a restored installation is another. */
function isLeftOut(path: string): boolean {
  return /^new-[^/]*$/.test(path) || path === markerName;
}

async function requireCodes(copy: string, codes: readonly string[]): Promise<void> {
  for (const sha256 of codes) {
    // In the data of a cluster, archives have a folder of their own.
    const archives = [`code/${sha256}/archive.zip`, `archives/${sha256}.zip`];
    const found = archives.map((path) =>
      ifThere(access(join(copy, 'functions', path)).then(() => true)),
    );
    if ((await Promise.all(found)).includes(true)) continue;
    throw new OperatorError(
      `The code ${sha256} of a function or layer is missing from the data directory. If it was just deleted, run the backup again.`,
    );
  }
}

async function requireAssets(copy: string, files: readonly string[]): Promise<void> {
  for (const file of files) {
    const path = join(copy, 'assets', file.slice(0, 2), file);
    if (await ifThere(access(path).then(() => true))) continue;
    throw new OperatorError(
      `The file ${file} of a release's asset is missing from the data directory. Delete the asset, or restore an older backup.`,
    );
  }
}
