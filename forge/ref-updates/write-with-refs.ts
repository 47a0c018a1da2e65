import type { Sql } from '#platform/database/database.ts';

import { refuse } from '../errors/api-error.ts';
import type { Ports } from '../ports/ports.ts';
import { type RepositoryWrite, writeRepository } from '../events/invalidate.ts';
import { raiseRefsVersions, type RefsVersions } from './refs-version-store.ts';

/** A write of rows that repeat where refs are. */
export interface RefsWrite<Plan, Result> {
  /** The repository whose rows are written most. */
  readonly repositoryId: number;
  /** Of every repository whose refs the plan looks at or whose pulls the write changes. */
  readonly versions: (sql: Sql) => Promise<RefsVersions>;
  /** Looks at rows and refs and decides. It writes nothing, and is asked again when what it saw has changed. */
  readonly plan: () => Promise<Plan>;
  /** Moves refs of the server's own by compare-and-swap; false when another was faster, and the plan is out of date. */
  readonly moveOwnRefs?: (plan: Plan) => Promise<boolean>;
  readonly write: (sql: RepositoryWrite, plan: Plan) => Promise<Result>;
}

/** Each attempt is lost only to another write that was finished meanwhile. */
const attemptsMax = 100;

class OutOfDate extends Error {}

/**
 * Writes rows that repeat where refs are, so that they agree with the refs whatever else is written at the same time. The
 * versions are read before the refs, compared and raised in the transaction: whoever lost against a later look at the
 * refs looks again.
 *
 * The plan is made once before it is this write's turn, so that what is slow to find out in git does not hold up others.
 * Within the process turns are taken one after the other, and nobody starves; among processes the versions decide.
 */
export async function writeWithRefs<Plan, Result>(
  ports: Ports,
  work: RefsWrite<Plan, Result>,
): Promise<Result> {
  const around = await ports.database.read(work.versions);
  await work.plan();
  const queues = [...around.keys()].map((id) => `refs of repository ${id}`);
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
  if (work.moveOwnRefs && !(await work.moveOwnRefs(plan))) return undefined;
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
