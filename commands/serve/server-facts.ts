import type { ServerFacts } from '#forge/ports/ports.ts';
import { forgeQueues } from '#forge/site/queue-size-store.ts';
import type { FunctionService } from '#functions/start-functions.ts';
import type { Database } from '#platform/database/database.ts';
import type { TaskRuns } from '#platform/task-runs.ts';
import type { SettingInForce } from '#settings/settings.ts';

import { isolationReport } from '../doctor/report.ts';

/** What the pages for site administrators show of this server. */
export function serverFacts(
  { settingsInForce: settings }: { readonly settingsInForce: readonly SettingInForce[] },
  {
    database,
    functions,
    taskRuns,
  }: {
    readonly database: Database;
    readonly functions: Pick<FunctionService, 'isolation' | 'statistics'>;
    readonly taskRuns: TaskRuns;
  },
): ServerFacts {
  return {
    queues: async () => [
      ...(await database.read(forgeQueues)),
      ...(await functions.statistics.queues()),
    ],
    isolation: async () => isolationReport(await functions.isolation),
    settings,
    tasks: () => taskRuns.list(),
  };
}
