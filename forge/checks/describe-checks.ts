import type { Sql } from '#platform/database/database.ts';

import { appsById } from '../auth/apps/app-store.ts';
import type { Json } from '../json/json-values.ts';
import type { Urls } from '../json/urls.ts';
import type { CheckRun, CheckSuite } from '../model/check-run.ts';
import type { Repository } from '../model/repository.ts';
import type { Ports } from '../ports/ports.ts';
import { pullsOfHeads } from './check-pull-store.ts';
import { representCheckRun, representCheckSuite } from './check-json.ts';

type Representation = { [field: string]: Json };

export async function describeRuns(
  sql: Sql,
  runs: readonly CheckRun[],
  repository: Repository,
  urls: Urls,
): Promise<Representation[]> {
  const apps = await appsById(
    sql,
    runs.map(({ appId }) => appId),
  );
  const pulls = await pullsOfHeads(
    sql,
    repository.id,
    runs.map(({ sha }) => sha),
  );
  return runs.flatMap((run) => {
    const app = apps.get(run.appId);
    const own = pulls.filter(({ head }) => head.sha === run.sha);
    return app ? [representCheckRun(run, app, own, repository, urls)] : [];
  });
}

/** Each shows its commit, which git reads. */
export async function describeSuites(
  suites: readonly CheckSuite[],
  repository: Repository,
  urls: Urls,
  { database, git }: Pick<Ports, 'database' | 'git'>,
): Promise<Representation[]> {
  const { apps, pulls } = await database.read(async (sql) => ({
    apps: await appsById(
      sql,
      suites.map(({ appId }) => appId),
    ),
    pulls: await pullsOfHeads(
      sql,
      repository.id,
      suites.map(({ sha }) => sha),
    ),
  }));
  const shown: Representation[] = [];
  for (const suite of suites) {
    const app = apps.get(suite.appId);
    const commit = await git.repository(repository.id).readCommit(suite.sha);
    const own = pulls.filter(({ head }) => head.sha === suite.sha);
    if (app && commit) shown.push(representCheckSuite(suite, app, own, commit, repository, urls));
  }
  return shown;
}
