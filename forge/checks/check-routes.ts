import { resolveRevision } from '../commits/resolve-revision.ts';
import { notFound, refuse } from '../errors/api-error.ts';
import { parseObjectId } from '../git/names.ts';
import { created, ok, page as pageResult, type EndpointResult } from '../http/endpoint-result.ts';
import type { RequestContext } from '../http/request-context.ts';
import { checkStatuses } from '../model/check-run.ts';
import { fullName, type Repository } from '../model/repository.ts';
import type { Ports } from '../ports/ports.ts';
import { type ChangePolicy, mayPush, mayRead } from '../repositories/repository-access.ts';
import { type Endpoint, repositoryEndpoint } from '../routing/endpoint.ts';
import { findCommit } from '../statuses/known-commits.ts';
import { createCheckRunBody, readCheckRunInput, updateCheckRunBody } from './check-input.ts';
import { representAnnotation } from './check-json.ts';
import {
  type CheckRunFilter,
  findCheckRun,
  listAnnotations,
  listCheckRuns,
} from './check-store.ts';
import { findSuite, listSuites } from './check-suite-store.ts';
import { describeRuns, describeSuites } from './describe-checks.ts';
import { changeCheckRun, createCheckRun, requireApp } from './write-check-run.ts';

/** Users with write access get the error that only Apps may. */
const mayWriteChecks: ChangePolicy = mayPush;

/** Check runs and suites: readable by all who may read, written by GitHub Apps. */
export const checkRoutes: readonly Endpoint[] = [
  repositoryEndpoint({
    operation: 'checks/list-for-ref',
    method: 'GET',
    path: '/repos/:owner/:repo/commits/:ref/check-runs',
    docs: 'checks#list-check-runs-for-a-git-reference',
    policy: mayRead,
    cacheable: true,
    async handle(request, { repository }, ports) {
      const { path, query } = request;
      const git = ports.git.repository(repository.id);
      const sha = await resolveRevision(git, repository, path.ref);
      const filter = filterOf(query, repository, { sha });
      return replyWithRuns(filter, request, repository, ports);
    },
  }),

  repositoryEndpoint({
    operation: 'checks/list-suites-for-ref',
    method: 'GET',
    path: '/repos/:owner/:repo/commits/:ref/check-suites',
    docs: 'checks#list-check-suites-for-a-git-reference',
    policy: mayRead,
    cacheable: true,
    async handle({ path, query, page, urls }, { repository }, ports) {
      const git = ports.git.repository(repository.id);
      const sha = await resolveRevision(git, repository, path.ref);
      const { suites, total } = await ports.database.read((sql) =>
        listSuites(
          sql,
          {
            repositoryId: repository.id,
            sha,
            appId: numberIn(query, 'app_id'),
            checkName: textIn(query, 'check_name'),
          },
          page,
        ),
      );
      const shown = await describeSuites(suites, repository, urls, ports);
      return pageResult({ total_count: total, check_suites: shown }, total);
    },
  }),

  repositoryEndpoint({
    operation: 'checks/list-for-suite',
    method: 'GET',
    path: '/repos/:owner/:repo/check-suites/:check_suite_id/check-runs',
    docs: 'checks#list-check-runs-in-a-check-suite',
    policy: mayRead,
    cacheable: true,
    async handle(request, { repository }, ports) {
      const { path, query } = request;
      const suiteId = path.check_suite_id;
      const suite = await ports.database.read((sql) => findSuite(sql, repository.id, suiteId));
      if (!suite) return notFound();
      const filter = filterOf(query, repository, { suiteId });
      return replyWithRuns(filter, request, repository, ports);
    },
  }),

  repositoryEndpoint({
    operation: 'checks/list-annotations',
    method: 'GET',
    path: '/repos/:owner/:repo/check-runs/:check_run_id/annotations',
    docs: 'checks#list-check-run-annotations',
    policy: mayRead,
    cacheable: true,
    async handle({ path, page, urls }, { repository }, { database }) {
      return database.read(async (sql) => {
        const run = (await findCheckRun(sql, repository.id, path.check_run_id)) ?? notFound();
        const { annotations, total } = await listAnnotations(sql, run.id, page);
        return pageResult(
          annotations.map((each) => representAnnotation(each, run, repository, urls)),
          total,
        );
      });
    },
  }),

  repositoryEndpoint({
    operation: 'checks/get',
    method: 'GET',
    path: '/repos/:owner/:repo/check-runs/:check_run_id',
    docs: 'checks#get-a-check-run',
    policy: mayRead,
    cacheable: true,
    async handle({ path, urls }, { repository }, { database }) {
      return database.read(async (sql) => {
        const run = (await findCheckRun(sql, repository.id, path.check_run_id)) ?? notFound();
        const [shown] = await describeRuns(sql, [run], repository, urls);
        return shown === undefined ? notFound() : ok(shown);
      });
    },
  }),

  repositoryEndpoint({
    operation: 'checks/get-suite',
    method: 'GET',
    path: '/repos/:owner/:repo/check-suites/:check_suite_id',
    docs: 'checks#get-a-check-suite',
    policy: mayRead,
    cacheable: true,
    async handle({ path, urls }, { repository }, ports) {
      const suite = await ports.database.read((sql) =>
        findSuite(sql, repository.id, path.check_suite_id),
      );
      const [shown] = await describeSuites(suite ? [suite] : [], repository, urls, ports);
      return shown === undefined ? notFound() : ok(shown);
    },
  }),

  repositoryEndpoint({
    operation: 'checks/create',
    method: 'POST',
    path: '/repos/:owner/:repo/check-runs',
    docs: 'checks#create-a-check-run',
    policy: mayWriteChecks,
    body: createCheckRunBody,
    async handle({ body, caller, now, urls }, { repository }, ports) {
      const { account, installation } = requireApp(caller);
      const { appId } = installation;
      const actorId = account.id;
      const input = readCheckRunInput(body);
      const sha = parseObjectId(body.head_sha);
      if (!sha || (await findCommit(ports.git, repository.id, sha)) !== sha) {
        return refuse({
          kind: 'unprocessable',
          message: `No commit found for SHA: ${body.head_sha.slice(0, 200)}`,
        });
      }
      const run = await createCheckRun(
        ports,
        { appId, actorId, repositoryId: repository.id, input, now },
        { name: body.name, sha, branch: null },
      );
      const [shown] = await ports.database.read((sql) =>
        describeRuns(sql, [run], repository, urls),
      );
      return created(shown ?? notFound(), urls.checkRun(fullName(repository), run.id));
    },
  }),

  repositoryEndpoint({
    operation: 'checks/update',
    method: 'PATCH',
    path: '/repos/:owner/:repo/check-runs/:check_run_id',
    docs: 'checks#update-a-check-run',
    policy: mayWriteChecks,
    body: updateCheckRunBody,
    async handle({ path, body, caller, now, urls }, { repository }, ports) {
      const { account, installation } = requireApp(caller);
      const { appId } = installation;
      const actorId = account.id;
      const input = readCheckRunInput(body);
      const run = await changeCheckRun(
        ports,
        { appId, actorId, repositoryId: repository.id, input, now },
        path.check_run_id,
      );
      const [shown] = await ports.database.read((sql) =>
        describeRuns(sql, [run], repository, urls),
      );
      return ok(shown ?? notFound());
    },
  }),
];

function filterOf(
  query: URLSearchParams,
  repository: Repository,
  of: CheckRunFilter['of'],
): CheckRunFilter {
  return {
    repositoryId: repository.id,
    of,
    latest: query.get('filter') !== 'all',
    name: textIn(query, 'check_name'),
    appId: numberIn(query, 'app_id'),
    status: checkStatuses.find((each) => each === query.get('status')),
  };
}

function textIn(query: URLSearchParams, name: string): string | undefined {
  return query.get(name) || undefined;
}

function numberIn(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name) ?? '';
  return /^\d{1,15}$/.test(value) ? Number(value) : undefined;
}

async function replyWithRuns(
  filter: CheckRunFilter,
  { page, urls }: Pick<RequestContext, 'page' | 'urls'>,
  repository: Repository,
  { database }: Pick<Ports, 'database'>,
): Promise<EndpointResult> {
  return database.read(async (sql) => {
    const { runs, total } = await listCheckRuns(sql, filter, page);
    const shown = await describeRuns(sql, runs, repository, urls);
    return pageResult({ total_count: total, check_runs: shown }, total);
  });
}
