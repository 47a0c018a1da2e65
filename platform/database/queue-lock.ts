import { DatabaseUnavailableError } from '../storage-failure.ts';
import { isConnectionFailure } from './postgres-client.ts';
import type { PostgresConnections, SendStatement } from './postgres-connections.ts';

export interface Queue {
  readonly name: string;
  /** Time without a statement after which the database server ends the session that has the lock. */
  readonly idleMilliseconds: number;
}

/**
 * Runs one transaction of a queue at a time in all processes. The lock is one of the session: a transaction that waited for a lock of its own
 * would see the rows as they were before it had it. It ends with the connection at the latest, which the server ends where its process
 * stands still, or its machine is gone: between two transactions no other limit would.
 */
export function inTurn<T>(
  connections: Pick<PostgresConnections, 'use'>,
  { name, idleMilliseconds }: Queue,
  work: (send: SendStatement) => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    connections
      .use(async (send) => {
        await send(
          `select pg_advisory_lock(hashtextextended($1, ${queueSeed})), ${setIdleTimeout('$2')}`,
          [name, `${idleMilliseconds}ms`],
        );
        // Answered before the lock ends: what was committed is, whatever becomes of the connection.
        await work(send).then(resolve, (error: unknown) => {
          // The pool reports the failure of this connection, and drops it, and the lock with it. What it has reported already may be that of another.
          if (isConnectionFailure(error) && !(error instanceof DatabaseUnavailableError))
            throw error;
          reject(error);
        });
        await send(`select pg_advisory_unlock_all(), ${setIdleTimeout("'0'")}`).catch(
          (cause: unknown) => {
            // A connection that may still have the lock must not be used again.
            throw Object.assign(new Error('The lock did not end.', { cause }), {
              code: 'CONNECTION_CLOSED',
            });
          },
        );
      })
      .catch(reject);
  });
}

/** PostgreSQL before 14 does not have it. */
function setIdleTimeout(value: string): string {
  return `case when current_setting('idle_session_timeout', true) is not null
    then set_config('idle_session_timeout', ${value}, false) end`;
}

/** Any number: hashes of others who use the database are then unlikely to be the same. */
const queueSeed = 708_620;
