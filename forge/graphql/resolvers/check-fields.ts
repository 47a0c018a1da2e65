import { appsById } from '../../auth/apps/app-store.ts';
import { findSuite } from '../../checks/check-suite-store.ts';
import type { ObjectId } from '../../git/names.ts';
import { idOfNode, nodeId } from '../../json/node-id.ts';
import { timestamp } from '../../json/json-values.ts';
import { caseless } from '../../model/account.ts';
import type { App } from '../../model/app.ts';
import {
  type CheckRun,
  type CheckSuite,
  asCommitStatus,
  suiteStateOf,
} from '../../model/check-run.ts';
import { type CommitStatus, rollUp } from '../../model/commit-status.ts';
import { fullName } from '../../model/repository.ts';
import { findPull } from '../../pulls/pull-store.ts';
import {
  type Arguments,
  optionalInteger,
  optionalText,
  textArgument,
} from '../engine/arguments.ts';
import { type Connection, connectList } from '../engine/connection.ts';
import { failField } from '../engine/field-error.ts';
import { always, type Fields, type GraphqlContext, pathOfUrl, type Resolvers } from './context.ts';
import type { ReportedChecks } from './discussion-loaders.ts';
import { findCommitSource } from './git-objects.ts';
import type { CommitSource, RepositorySource } from './sources.ts';

interface RollupSource {
  readonly at: RepositorySource;
  readonly sha: ObjectId;
  readonly checks: ReportedChecks;
}

interface StatusSource {
  readonly typeName: 'StatusContext';
  readonly at: RepositorySource;
  readonly status: CommitStatus;
}

interface RunSource {
  readonly typeName: 'CheckRun';
  readonly at: RepositorySource;
  readonly run: CheckRun;
}

/** Everything that was reported for a commit; null if that is nothing. */
export async function rollupOf(
  at: RepositorySource,
  sha: ObjectId,
  { loaders }: GraphqlContext,
): Promise<RollupSource | null> {
  const checks = await loaders.checksOf({ repositoryId: at.repository.id, sha });
  return checks.statuses.length + checks.runs.length === 0 ? null : { at, sha, checks };
}

/** By the rule of `checks/check-state.ts`. */
function stateOf(states: readonly string[]): string {
  const failing = states.filter((state) => state === 'failure' || state === 'error').length;
  const pending = states.filter((state) => state === 'pending').length;
  return rollUp({ contexts: states.length, failing, pending }).toUpperCase();
}

function statesOf({ statuses, runs }: ReportedChecks): string[] {
  return [...statuses.map(({ state }) => state), ...runs.map(({ state }) => asCommitStatus(state))];
}

const commitFields: Fields<CommitSource> = {
  statusCheckRollup: ({ at, commit }, _values, context) => rollupOf(at, commit.id, context),
  status: async ({ at, commit }, _values, context) => {
    const rollup = await rollupOf(at, commit.id, context);
    return rollup && rollup.checks.statuses.length > 0 ? rollup : null;
  },
  checkSuites: ({ at, commit }, values, context) =>
    connectList(
      'checkSuites',
      values,
      async () => {
        const { runs } = await context.loaders.checksOf({
          repositoryId: at.repository.id,
          sha: commit.id,
        });
        const ids = [...new Set(runs.map(({ suiteId }) => suiteId))];
        const suites = await Promise.all(ids.map((id) => suiteOf(at, id, context)));
        return suites.flatMap((suite) => suite ?? []);
      },
      ({ suite }) => suite.id,
    ),
};

const rollupFields: Fields<RollupSource> = {
  id: ({ at, sha }) => nodeId('StatusCheckRollup', `${at.repository.id}:${sha}`),
  state: ({ checks }) => stateOf(statesOf(checks)),
  commit: ({ at, sha }, _values, context) => findCommitSource(at, sha, context),
  contexts: connectContexts,
};

interface ContextConnection extends Connection<StatusSource | RunSource> {
  readonly checks: ReportedChecks;
}

function connectContexts({ at, checks }: RollupSource, values: Arguments): ContextConnection {
  const list = async (): Promise<(StatusSource | RunSource)[]> => [
    ...checks.runs.map((run): RunSource => ({ typeName: 'CheckRun', at, run })),
    ...checks.statuses.map((status): StatusSource => statusSource(at, status)),
  ];
  return { ...connectList('contexts', values, list, contextKey), checks };
}

function contextKey(source: StatusSource | RunSource): string {
  return source.typeName === 'CheckRun'
    ? `run ${source.run.id}`
    : `status ${source.status.context}`;
}

const contextConnectionFields: Fields<ContextConnection> = {
  checkRunCount: ({ checks }) => checks.runs.length,
  statusContextCount: ({ checks }) => checks.statuses.length,
  checkRunCountsByState: ({ checks }) =>
    counted(checks.runs.map(({ state }) => (state.conclusion ?? state.status).toUpperCase())),
  statusContextCountsByState: ({ checks }) =>
    counted(checks.statuses.map(({ state }) => state.toUpperCase())),
};

function counted(states: readonly string[]): { state: string; count: number }[] {
  return [...Map.groupBy(states, (state) => state)].map(([state, of]) => ({
    state,
    count: of.length,
  }));
}

const countFields: Fields<{ readonly state: string; readonly count: number }> = {
  state: ({ state }) => state,
  count: ({ count }) => count,
};

function statusSource(at: RepositorySource, status: CommitStatus): StatusSource {
  return { typeName: 'StatusContext', at, status };
}

/** The older view of a commit: its statuses without check runs. */
const statusFields: Fields<RollupSource> = {
  id: ({ at, sha }) => nodeId('Status', `${at.repository.id}:${sha}`),
  state: ({ checks }) => stateOf(checks.statuses.map(({ state }) => state)),
  commit: ({ at, sha }, _values, context) => findCommitSource(at, sha, context),
  contexts: ({ at, checks }) => checks.statuses.map((status) => statusSource(at, status)),
  context: ({ at, checks }, values) => {
    const name = caseless(textArgument(values, 'name'));
    const found = checks.statuses.find(({ context }) => caseless(context) === name);
    return found ? statusSource(at, found) : null;
  },
};

const statusContextFields: Fields<StatusSource> = {
  id: ({ status }) => nodeId('StatusContext', status.id),
  context: ({ status }) => status.context,
  state: ({ status }) => status.state.toUpperCase(),
  description: ({ status }) => status.description,
  targetUrl: ({ status }) => status.targetUrl,
  createdAt: ({ status }) => timestamp(status.createdAt),
  creator: ({ status }, _values, { loaders }) => loaders.account(status.creatorId),
  avatarUrl: ({ status }, _values, { request }) => request.urls.avatar(status.creatorId),
  commit: ({ at, status }, _values, context) => findCommitSource(at, status.sha, context),
  isRequired: ({ at, status }, values, context) =>
    isRequired(at, { name: status.context }, values, context),
};

const runFields: Fields<RunSource> = {
  id: ({ run }) => nodeId('CheckRun', run.id),
  databaseId: ({ run }) => run.id,
  name: ({ run }) => run.name,
  status: ({ run }) => run.state.status.toUpperCase(),
  conclusion: ({ run }) => run.state.conclusion?.toUpperCase() ?? null,
  startedAt: ({ run }) => timestamp(run.startedAt),
  completedAt: ({ run }) => timestamp(run.completedAt),
  detailsUrl: ({ run }) => run.detailsUrl,
  externalId: ({ run }) => run.externalId,
  title: ({ run }) => run.output.title,
  summary: ({ run }) => run.output.summary,
  text: ({ run }) => run.output.text,
  repository: ({ at }) => at,
  url: ({ at, run }, _values, { request }) =>
    request.urls.commitHtml(fullName(at.repository), run.sha),
  permalink: ({ at, run }, _values, { request }) =>
    request.urls.commitHtml(fullName(at.repository), run.sha),
  resourcePath: ({ at, run }, _values, { request }) =>
    pathOfUrl(request.urls.commitHtml(fullName(at.repository), run.sha)),
  checkSuite: ({ at, run }, _values, context) => suiteOf(at, run.suiteId, context),
  isRequired: ({ at, run }, values, context) => isRequired(at, run, values, context),
};

/** Whether the rules of the base of a pull require the check of this name, of this App if one must report it. */
async function isRequired(
  at: RepositorySource,
  { name, appId }: { readonly name: string; readonly appId?: number },
  values: Arguments,
  { loaders, ports }: GraphqlContext,
): Promise<boolean> {
  const id = optionalText(values, 'pullRequestId');
  const number = optionalInteger(values, 'pullRequestNumber');
  if (id === undefined && number === undefined) {
    const message = 'Either `pullRequestId` or `pullRequestNumber` must be provided.';
    return failField('UNPROCESSABLE', message);
  }
  const pull =
    number === undefined
      ? await loaders.pull(idOfNode('PullRequest', id ?? '') ?? 0)
      : await ports.database.readOne((sql) => findPull(sql, at.repository.id, number));
  if (pull?.repositoryId !== at.repository.id) return false;
  const rules = await loaders.rulesOf(at.repository.id);
  const required = rules.find(({ branch }) => branch === pull.base.ref)?.statusChecks?.checks ?? [];
  return required.some(
    (check) =>
      caseless(check.context) === caseless(name) &&
      (check.appId === null || appId === undefined || check.appId === appId),
  );
}

interface SuiteSource {
  readonly at: RepositorySource;
  readonly suite: CheckSuite;
  readonly app: App | undefined;
}

async function suiteOf(
  at: RepositorySource,
  id: number,
  { ports }: GraphqlContext,
): Promise<SuiteSource | null> {
  return ports.database.read(async (sql) => {
    const suite = await findSuite(sql, at.repository.id, id);
    if (!suite) return null;
    return { at, suite, app: (await appsById(sql, [suite.appId])).get(suite.appId) };
  });
}

const suiteFields: Fields<SuiteSource> = {
  id: ({ suite }) => nodeId('CheckSuite', suite.id),
  databaseId: ({ suite }) => suite.id,
  app: ({ app }) => app ?? null,
  commit: ({ at, suite }, _values, context) => findCommitSource(at, suite.sha, context),
  conclusion: ({ suite }) => suiteStateOf(suite).conclusion?.toUpperCase() ?? null,
  status: ({ suite }) => suiteStateOf(suite).status.toUpperCase(),
  createdAt: ({ suite }) => timestamp(suite.createdAt),
  updatedAt: ({ suite }) => timestamp(suite.updatedAt),
  repository: ({ at }) => at,
  url: ({ at, suite }, _values, { request }) =>
    request.urls.commitHtml(fullName(at.repository), suite.sha),
  resourcePath: ({ at, suite }, _values, { request }) =>
    pathOfUrl(request.urls.commitHtml(fullName(at.repository), suite.sha)),
  // Workflows are those of GitHub Actions, which this server does not have.
  workflowRun: always(null),
};

const appFields: Fields<App> = {
  id: ({ id }) => nodeId('App', id),
  databaseId: ({ id }) => id,
  name: ({ name }) => name,
  slug: ({ slug }) => slug,
  description: ({ description }) => description,
  url: ({ slug }, _values, { request }) => request.urls.appHtml(slug),
  logoUrl: ({ owner }, _values, { request }) => request.urls.avatar(owner.id),
  createdAt: ({ createdAt }) => timestamp(createdAt),
  updatedAt: ({ updatedAt }) => timestamp(updatedAt),
};

export const checkResolvers: Resolvers = {
  Commit: commitFields,
  StatusCheckRollup: rollupFields,
  StatusCheckRollupContextConnection: contextConnectionFields,
  CheckRunStateCount: countFields,
  StatusContextStateCount: countFields,
  Status: statusFields,
  StatusContext: statusContextFields,
  CheckRun: runFields,
  CheckSuite: suiteFields,
  App: appFields,
};
