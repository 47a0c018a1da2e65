import { describeRuns, describeSuites } from '../checks/describe-checks.ts';
import { findCheckRun } from '../checks/check-store.ts';
import { findSuite } from '../checks/check-suite-store.ts';
import type { Json } from '../json/json-values.ts';
import type { CheckRunEvent, CheckSuiteEvent } from '../model/check-event.ts';
import type { Ports } from '../ports/ports.ts';
import type { PayloadContext } from './payload-context.ts';

type Representation = { [field: string]: Json };
type CheckPorts = Pick<Ports, 'database' | 'git'>;

/** undefined if the run or its commit no longer exists. */
export async function describeCheckRunEvent(
  ports: CheckPorts,
  { action, runId }: CheckRunEvent,
  context: PayloadContext,
): Promise<Representation | undefined> {
  const { repository, urls } = context;
  const { run, shown } = await ports.database.read(async (sql) => {
    const found = await findCheckRun(sql, repository.id, runId);
    const [described] = await describeRuns(sql, found ? [found] : [], repository, urls);
    return { run: found, shown: described };
  });
  if (!run || !shown) return undefined;
  const suite = await suiteOf(ports, run.suiteId, context);
  if (!suite) return undefined;
  const { repository: _, head_commit: __, ...inRun } = suite;
  return { action, check_run: { ...shown, check_suite: inRun } };
}

/** undefined if the suite or its commit no longer exists. */
export async function describeCheckSuiteEvent(
  ports: CheckPorts,
  { action, suiteId }: CheckSuiteEvent,
  context: PayloadContext,
): Promise<Representation | undefined> {
  const suite = await suiteOf(ports, suiteId, context);
  if (!suite) return undefined;
  const { repository: _, ...shown } = suite;
  return { action, check_suite: shown };
}

async function suiteOf(
  ports: CheckPorts,
  suiteId: number,
  { repository, urls }: PayloadContext,
): Promise<Representation | undefined> {
  const suite = await ports.database.read((sql) => findSuite(sql, repository.id, suiteId));
  const [shown] = await describeSuites(suite ? [suite] : [], repository, urls, ports);
  return shown;
}
