import type { Sql } from '#platform/database/database.ts';

import { refuse } from '../errors/api-error.ts';
import type { Ports } from '../ports/ports.ts';
import { type RepositoryWrite, writeRepository } from '../events/invalidate.ts';
import { raiseRefsVersions, type RefsVersions } from './refs-version-store.ts';

/** A write of rows that copy values of refs. */
export interface RefsWrite<Plan, Result> {
  /** The repository whose rows are written most. */
  readonly repositoryId: number;
  /** The versions of every repository whose refs the plan reads or whose pulls the write changes. */
  readonly versions: (sql: Sql) => Promise<RefsVersions>;
  /** Reads rows and refs and decides. It writes nothing, and is called again if what it read has changed. */
  readonly plan: () => Promise<Plan>;
  /** Moves internal refs by compare-and-swap; false if another write was faster and the plan is out of date. */
  readonly moveInternalRefs?: (plan: Plan) => Promise<boolean>;
  readonly write: (sql: RepositoryWrite, plan: Plan) => Promise<Result>;
}

/** Attempts of a write that must see the refs as they are; one fails only because another write succeeded meanwhile. */
const attemptsMax = 100;

class OutOfDate extends Error {}

/**
 * Writes rows that copy values of refs, so that they agree with the refs despite concurrent writes. The versions are read
 * before the refs, then compared and raised in the transaction: if another write has raised one since, the transaction is
 * rolled back and the plan is made again.
 *
 * The plan is first made outside of the queue, so that slow git commands do not block other writes. Within the process the
 * queue is first in, first out, so that no write starves; between processes the versions decide.
 */
export async function writeWithRefs<Plan, Result>(
  ports: Ports,
  work: RefsWrite<Plan, Result>,
): Promise<Result> {
  const versions = await ports.database.read(work.versions);
  // The plan itself is dropped; what it asked of git stays cached (`pulls/commit-queries.ts`) for the plan within the queue.
  await work.plan();
  const queues = [...versions.keys()].map((id) => `refs of repository ${id}`);
  return ports.serialQueues.runInAll(queues, async () => {
    for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
      const written = await attemptWrite(ports, work);
      if (written) return written.result;
    }
    return refuse({
      kind: 'unavailable',
      message: 'Too many concurrent changes to the repository. Try again later.',
    });
  });
}

async function attemptWrite<Plan, Result>(
  ports: Ports,
  work: RefsWrite<Plan, Result>,
): Promise<{ readonly result: Result } | undefined> {
  const versions = await ports.database.read(work.versions);
  const plan = await work.plan();
  if (work.moveInternalRefs && !(await work.moveInternalRefs(plan))) return undefined;
  try {
    const result = await writeRepository(ports.database, work.repositoryId, async (sql) => {
      if (!(await raiseRefsVersions(sql, versions))) throw new OutOfDate();
      return work.write(sql, plan);
    });
    return { result };
  } catch (error) {
    if (error instanceof OutOfDate) return undefined;
    throw error;
  }
}
