import { mkdir, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

import type { RepositoryPaths } from '#forge/git/commands/repository-paths.ts';
import { type ClaimRow, findClaim } from '#functions/code/archives/claim-store.ts';
import { referencedArchives } from '#functions/code/code-store.ts';
import { serviceKeyPaths } from '#functions/keys/service-key.ts';
import type { DatabaseSnapshot } from '#platform/database/database-snapshot.ts';

import {
  type AppliedMigration,
  appliedMigrations,
  frozenTables,
  referencedAssets,
  referencedCode,
  repositoryStates,
  type RepositoryState,
} from './backup-store.ts';
import { copyEntry } from './file-copies.ts';
import { inParallel } from './in-parallel.ts';
import { saveRefs } from './save-refs.ts';
import type { SourceRepositories } from './source-repositories.ts';

/** What the frozen rows name. */
export interface Frozen {
  readonly repositories: readonly number[];
  readonly codes: readonly string[];
  /** Of functions and layers; digests of images as well. */
  readonly archives: readonly string[];
  /** The store of the archives, where the operator has named one. */
  readonly codeStore: ClaimRow | undefined;
  readonly assets: readonly string[];
  readonly migrations: AppliedMigration[];
}

export interface FreezeOptions {
  readonly database: DatabaseSnapshot;
  readonly source: SourceRepositories;
  readonly copy: RepositoryPaths;
  /** The folder of the service key, and where it goes. */
  readonly keys: { readonly from: string; readonly to: string };
}

/**
 * Freezes the database and writes down the refs of every repository as they are at that time. The backup is then
 * what a crash at that time would leave: where a change of refs was under way, its intent is among the rows, and the
 * next start finishes or forgets it.
 *
 * Writers are blocked meanwhile, so most refs are read before. The version of a network moves with every change of refs: in
 * the frozen state only those are read again whose version has moved since or that have an intent.
 */
export async function freezeRefs(options: FreezeOptions): Promise<Frozen> {
  const { database, source, copy } = options;
  const read = new Map<number, number>();

  async function readRefs(
    states: readonly RepositoryState[],
    readPath: (id: number) => Promise<string>,
  ): Promise<void> {
    await inParallel(states, atOnce, async ({ id, version }) => {
      // One whose files are not there yet is read again.
      if (await saveRefs(await readPath(id), copy.repository(id))) read.set(id, version);
    });
  }

  for (let round = 1; ; round += 1) {
    const before = await database.read(repositoryStates);
    await readRefs(
      before.filter((state) => read.get(state.id) !== state.version),
      (id) => database.read((sql) => source.pathOf(sql, id)),
    );
    const tables = [...frozenTables, ...source.tables];
    const frozen = await database.freeze(tables, async (sql) => {
      if ((await source.isMoving(sql)) && round < movingRoundsMax) return undefined;
      const states = await repositoryStates(sql);
      const stale = states.filter(
        (state) => state.interrupted || read.get(state.id) !== state.version,
      );
      if (stale.length > frozenReadsMax && round < roundsMax) return undefined;
      await readRefs(stale, (id) => source.pathOf(sql, id));
      await source.requireReached();
      await copyServiceKey(options.keys);
      const repositories = states.map(({ id }) => id);
      const migrations = await appliedMigrations(sql);
      return {
        repositories,
        codes: await referencedCode(sql),
        archives: [...(await referencedArchives(sql))],
        codeStore: hasCodeStores(migrations) ? await findClaim(sql) : undefined,
        assets: await referencedAssets(sql, assetTables(migrations)),
        migrations,
      };
    });
    if (!frozen) {
      await delay(pauseMilliseconds);
      continue;
    }
    const frozenIds = new Set(frozen.repositories);
    for (const id of read.keys()) {
      if (!frozenIds.has(id)) await rm(copy.repository(id), { recursive: true, force: true });
    }
    return frozen;
  }
}

const atOnce = 8;
/**
 * Repositories whose refs a backup reads while writers wait, a fraction of a second; of more, it first reads another round
 * without holding writers up.
 */
const frozenReadsMax = 200;
/** Rounds in which a backup reads changed refs without holding writers up; then they wait. */
const roundsMax = 5;
/**
 * Rounds, 100 ms apart, in which a backup waits for a repository that moves to arrive in its new shard. A network that has got
 * another shard is in its folders there within a second, unless a server dies meanwhile.
 */
const movingRoundsMax = 300;
/** Time between two such rounds. */
const pauseMilliseconds = 100;

/**
 * Copied with the rows that it decrypts. During a rotation there are two files, and the last step renames the next one over the
 * other: it is copied first, so that it cannot be missed.
 */
async function copyServiceKey({ from, to }: FreezeOptions['keys']): Promise<void> {
  const paths = [serviceKeyPaths(from), serviceKeyPaths(to)] as const;
  for (const which of ['next', 'current'] as const) {
    const [source, target] = [paths[0][which], paths[1][which]];
    await mkdir(to, { recursive: true, mode: 0o700 });
    await rm(target, { force: true });
    await copyEntry(source, target, 'copy');
  }
}

/** Tables with names of files, as far as the database has them: its shape may be an older one. */
function assetTables(migrations: readonly AppliedMigration[]): string[] {
  const tables = {
    '0015-releases': 'release_assets',
    '0027-device-codes-and-large-files': 'lfs_objects',
  };
  return Object.entries(tables).flatMap(([migration, table]) =>
    migrations.some(({ name }) => name === migration) ? [table] : [],
  );
}

function hasCodeStores(migrations: readonly AppliedMigration[]): boolean {
  return migrations.some(({ name }) => name === '0061-code-stores');
}
