import type { ServerStatus } from '#forge/ports/ports.ts';
import { forgeQueues } from '#forge/site/queue-size-store.ts';
import type { FunctionStart } from '#functions/persistent-parts.ts';
import { findPackageSets } from '#functions/runtimes/runtime-packages.ts';
import type { FunctionService } from '#functions/start-functions.ts';
import type { Database } from '#platform/database/database.ts';
import type { TaskRuns } from '#platform/task-runs.ts';
import type { Settings } from '#settings/setting-values.ts';
import type { SettingInForce } from '#settings/settings.ts';

import { hostReport } from '../doctor/report.ts';
import { installedPackages } from '../runtimes/package-report.ts';

/** What the pages for site administrators show of this server. */
export function serverStatus(
  {
    settingsInForce,
    settings,
    processes,
  }: {
    readonly settingsInForce: readonly SettingInForce[];
    readonly settings: { readonly functions: Pick<Settings['functions'], 'network'> };
    readonly processes: { readonly functions: { readonly start: Pick<FunctionStart, 'folder'> } };
  },
  {
    database,
    functions,
    taskRuns,
  }: {
    readonly database: Database;
    readonly functions: Pick<
      FunctionService,
      'isolation' | 'retryQueue' | 'runtimes' | 'statistics' | 'storage'
    >;
    readonly taskRuns: TaskRuns;
  },
): ServerStatus {
  return {
    queues: async () => [
      ...(await database.read(forgeQueues)),
      ...(await functions.statistics.queues()),
    ],
    async host() {
      const host = await functions.runtimes();
      const internet = settings.functions.network === 'internet';
      const sets = await findPackageSets(processes.functions.start.folder);
      return [
        ...hostReport(await functions.isolation, host, { internet }),
        '',
        'Packages of runtimes:',
        ...installedPackages(sets, host),
      ];
    },
    retryQueue: (queue) => functions.retryQueue(queue),
    settings: settingsInForce,
    tasks: () => taskRuns.list(),
    async storage() {
      const { functions: code, logGroups, unmeasured } = await functions.storage();
      const left = unmeasured === 0 ? '' : `, without ${unmeasured} groups that were not measured`;
      return [
        { title: 'Code of functions, all versions', items: code },
        { title: `Logs of functions${left}`, items: logGroups },
      ];
    },
  };
}
