import type { Sql } from '#platform/database/database.ts';
import { DatabaseUnavailableError } from '#platform/storage-failure.ts';

import type { Ports } from '../ports/ports.ts';

/** Fencing: a server that lost the shard of the repository, and does not know it yet, records no intent. */
export async function requireShardOwnership(
  { ownsShardOf }: Pick<Ports, 'ownsShardOf'>,
  sql: Sql,
  repositoryId: number,
): Promise<void> {
  if (!ownsShardOf || (await ownsShardOf(sql, repositoryId))) return;
  throw new ShardOwnerChangedError('Another server has taken the repository over.');
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
