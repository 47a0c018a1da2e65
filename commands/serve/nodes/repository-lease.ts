import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

import type { Database, Sql } from '#platform/database/database.ts';
import type { Log } from '#platform/log.ts';
import { OperatorError } from '#platform/operator-error.ts';
import { storageFailure } from '#platform/storage-failure.ts';

import { isCurrentTerm, releaseLease, renewLease, takeLease } from './lease-store.ts';
import { leaseMilliseconds } from './node-store.ts';

/** The right to change the repositories, which one server at a time has. */
export interface RepositoryLease {
  /** Greater than that of every server that had it before. */
  readonly term: number;
  /** Within a transaction: whether this server still has the shard of the repository. */
  readonly ownsShardOf: (sql: Sql, repositoryId: number) => Promise<boolean>;
  /** Gives it up, and closes the database. */
  leave(): Promise<void>;
}

export interface LeaseOptions {
  /** With connections of its own: a renewal must not wait behind the work of requests. It is closed at the end. */
  readonly database: Database;
  readonly serverId: string;
  /** The location of HOB_CODE. */
  readonly codeStore?: string | undefined;
  readonly log: Log;
  /** Another server has the repositories now: this one must end at once. */
  readonly onLost: () => void;
  readonly renewMilliseconds?: number;
}

/** Time between two renewals of the lease on the repositories. Four renewals may fail before another server can take over. */
const renewMillisecondsDefault = 2000;
/** Time between two polls by a server that waits for a lease to run out. */
const pollMilliseconds = 500;

/**
 * Waits until the lease of a server that died has run out, and refuses to start when the other is alive: its lease was renewed
 * meanwhile. When the database does not answer, no other server can take over, so this server goes on and asks again.
 */
export async function takeRepositoryLease(options: LeaseOptions): Promise<RepositoryLease> {
  const { database, serverId, log } = options;
  try {
    const term = await take(options);
    const stop = renewAgainAndAgain(options, term);
    return {
      term,
      ownsShardOf: (sql, repositoryId) => isCurrentTerm(sql, term, repositoryId),
      async leave() {
        await stop();
        try {
          await database.write((sql) => releaseLease(sql, serverId, term));
        } catch (err) {
          if (storageFailure(err) === undefined) throw err;
          // Nothing is lost by it: the next server waits until the lease has run out.
          log.warn({ err, leaseMilliseconds }, 'the lease of the repositories was not given up');
        } finally {
          await database.close();
        }
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function take({ database, serverId, codeStore, log }: LeaseOptions): Promise<number> {
  const node = { serverId, name: `${hostname()}, process ${process.pid}`, codeStore };
  let first: number | undefined;
  for (;;) {
    const taken = await database.write((sql) => takeLease(sql, node));
    if (taken.kind === 'taken') {
      if (taken.from !== undefined) {
        log.warn({ from: taken.from, term: taken.term }, 'took the repositories over');
      }
      return taken.term;
    }
    const { name, until, remainingMilliseconds } = taken;
    if (first !== undefined && until > first) {
      throw new OperatorError(
        `The server "${name}" uses this database. One server at a time can: its repositories have one owner. Stop that server, or give this one a database of its own with --database.`,
      );
    }
    if (first === undefined)
      log.info({ name, remainingMilliseconds }, 'waiting for a lease to end');
    first ??= until;
    await delay(Math.min(remainingMilliseconds + 50, pollMilliseconds));
  }
}

/** Returns what ends it. */
function renewAgainAndAgain(
  { database, serverId, log, onLost, renewMilliseconds = renewMillisecondsDefault }: LeaseOptions,
  term: number,
): () => Promise<void> {
  let renewing: Promise<void> | undefined;
  const renew = async (): Promise<void> => {
    try {
      if (await database.write((sql) => renewLease(sql, serverId, term))) return;
      clearInterval(timer);
      log.error({ term }, 'another server has taken the repositories over: this one ends');
      onLost();
    } catch (err) {
      log.warn({ err, leaseMilliseconds }, 'the lease of the repositories was not renewed');
    } finally {
      renewing = undefined;
    }
  };
  const timer = setInterval(() => {
    renewing ??= renew();
  }, renewMilliseconds);
  return async () => {
    clearInterval(timer);
    await renewing;
  };
}
