import { readCommitted, type Sql } from '#platform/database/database.ts';
import { currentLineage } from '#platform/invocation-lineage.ts';
import { systemRandom } from '#platform/random.ts';
import { DatabaseUnavailableError } from '#platform/storage-failure.ts';

import { refuse } from '../errors/api-error.ts';
import type { RefName } from '../git/names.ts';
import { repositoryQueue } from '../model/repository.ts';
import type { Ports } from '../ports/ports.ts';
import {
  deleteIntent,
  findIntentByKey,
  insertIntent,
  isBeingRenamed,
  type NewIntent,
} from './intent-store.ts';

/**
 * Makes an intent durable, in one transaction with the checks that it depends on; they refuse by throwing. git must not be
 * called before this resolves: an intent whose commit was not acknowledged is deleted later, on the assumption that no ref moved.
 */
export async function recordIntent(
  ports: Ports,
  intent: NewIntent,
  check: (sql: Sql) => Promise<void>,
): Promise<number> {
  return withCurrentShardOwner(ports, () => tryToRecord(ports, intent, check));
}

/** Repeats work that `requireShardOwnership` refuses until this server knows which one owns the shard. */
export async function withCurrentShardOwner<T>(
  ports: Pick<Ports, 'pollShardOwners'>,
  work: () => Promise<T>,
): Promise<T> {
  for (let polls = 0; ; polls += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ShardOwnerChangedError)) throw error;
      if (!ports.pollShardOwners || polls >= shardOwnerPollsMax)
        throw new DatabaseUnavailableError(error);
      await ports.pollShardOwners();
    }
  }
}

/**
 * Polls for the owner of a shard before a change of refs in it is answered 503. A handover changes the owner once, and its term
 * once more.
 */
const shardOwnerPollsMax = 3;

/** Another server owns the shard than this server knows of. */
class ShardOwnerChangedError extends Error {
  override readonly name = 'ShardOwnerChangedError';
}

async function tryToRecord(
  ports: Ports,
  intent: NewIntent,
  check: (sql: Sql) => Promise<void>,
): Promise<number> {
  const { repositoryId } = intent;
  const key = systemRandom.id();
  let isInserted = false;
  try {
    return await ports.database.write(
      async (sql) => {
        await requireShardOwnership(ports, sql, repositoryId);
        await check(sql);
        await refuseRenamed(
          sql,
          repositoryId,
          intent.refs.map(({ ref }) => ref),
        );
        const id = await insertIntent(sql, {
          ...intent,
          serverId: ports.serverId,
          lineage: currentLineage(),
          key,
        });
        isInserted = true;
        return id;
      },
      { queue: repositoryQueue(repositoryId) },
    );
  } catch (error) {
    if (isInserted && error instanceof DatabaseUnavailableError) {
      removeUnacknowledged(ports, repositoryId, key);
    }
    throw error;
  }
}

/**
 * Until the rows have followed a renaming, the rules of the branch are under its old name: nothing moves a ref of either name. Intents that
 * were recorded before the renaming fail in git: their old values no longer match.
 */
export async function refuseRenamed(
  sql: Sql,
  repositoryId: number,
  refs: readonly RefName[],
): Promise<void> {
  if (!(await isBeingRenamed(sql, repositoryId, refs))) return;
  refuse({ kind: 'conflict', message: 'The branch is being renamed. Try again.' });
}

/** Fencing: a server that lost the shard of the repository, and does not know it yet, records no intent. */
export async function requireShardOwnership(
  { ownsShardOf }: Pick<Ports, 'ownsShardOf'>,
  sql: Sql,
  repositoryId: number,
): Promise<void> {
  if (!ownsShardOf || (await ownsShardOf(sql, repositoryId))) return;
  throw new ShardOwnerChangedError('Another server has taken the repository over.');
}

/** Removes in the background an intent whose commit becomes visible late: while it exists, its pull cannot be merged. */
function removeUnacknowledged(ports: Ports, repositoryId: number, key: string): void {
  pollForUnacknowledged(ports, repositoryId, key, async (id) => {
    await ports.database.write((sql) => deleteIntent(sql, id), readCommitted);
  });
}

/** Looks, a second apart, for a commit of unknown outcome: PostgreSQL may still be at it after the connection is lost. */
const pollsMax = 300;

/** Looks in the background for an intent whose commit was not acknowledged, and ends it if it is there. */
export function pollForUnacknowledged(
  ports: Pick<Ports, 'background' | 'database'>,
  repositoryId: number,
  key: string,
  end: (id: number) => Promise<void>,
): void {
  let polls = 0;
  ports.background.run(
    `unacknowledged ref intent ${key}`,
    async () => {
      polls += 1;
      const id = await ports.database.read((sql) => findIntentByKey(sql, repositoryId, key));
      if (id === undefined) return polls < pollsMax ? 'again' : undefined;
      await end(id);
      return undefined;
    },
    'always',
  );
}
