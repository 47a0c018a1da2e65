import Type from 'typebox';

import type { Sql } from '#platform/database/database.ts';

import { installationOnAccount } from '../auth/apps/installation-store.ts';
import { invalid, notFound, refuse } from '../errors/api-error.ts';
import { writeRepository } from '../events/invalidate.ts';
import { parseObjectId } from '../git/names.ts';
import { created, ok } from '../http/endpoint-result.ts';
import { isInstallation } from '../model/caller.ts';
import { fullName } from '../model/repository.ts';
import { mayAdminister, mayPush } from '../repositories/repository-access.ts';
import { representRepository } from '../repositories/repository-json.ts';
import { type Endpoint, repositoryEndpoint } from '../routing/endpoint.ts';
import { findCommit } from '../statuses/known-commits.ts';
import {
  createSuite,
  listPreferences,
  putPreference,
  type SuitePreference,
  suiteOfCommit,
} from './check-suite-store.ts';
import { describeSuites } from './describe-checks.ts';
import { requireApp, rerequestRun, rerequestSuite } from './write-check-run.ts';

/** Apps that a request for preferences of check suites names. */
const preferencesMax = 100;

/** Suites that Apps create, and checks that are asked for again. */
export const checkSuiteRoutes: readonly Endpoint[] = [
  /** For Apps without automatic suites, which are not asked to begin their checks by this. */
  repositoryEndpoint({
    operation: 'checks/create-suite',
    method: 'POST',
    path: '/repos/:owner/:repo/check-suites',
    docs: 'checks#create-a-check-suite',
    policy: mayPush,
    body: Type.Object({ head_sha: Type.String() }),
    async handle({ body, caller, now, urls }, { repository }, ports) {
      const { appId } = requireApp(caller).installation;
      const sha = parseObjectId(body.head_sha);
      if (!sha || (await findCommit(ports.git, repository.id, sha)) !== sha) {
        return refuse({
          kind: 'unprocessable',
          message: `No commit found for SHA: ${body.head_sha.slice(0, 200)}`,
        });
      }
      const key = { repositoryId: repository.id, appId, sha };
      const { isNew, suite } = await writeRepository(ports.database, repository.id, async (sql) => {
        const id = await createSuite(sql, key, { branch: null, before: null }, now);
        return { isNew: id !== undefined, suite: await suiteOfCommit(sql, key) };
      });
      const [shown] = await describeSuites(suite ? [suite] : [], repository, urls, ports);
      if (!suite || !shown) return notFound();
      return isNew ? created(shown, urls.checkSuite(fullName(repository), suite.id)) : ok(shown);
    },
  }),

  repositoryEndpoint({
    operation: 'checks/rerequest-suite',
    method: 'POST',
    path: '/repos/:owner/:repo/check-suites/:check_suite_id/rerequest',
    docs: 'checks#rerequest-a-check-suite',
    policy: mayPush,
    async handle({ path, caller, now, urls }, { repository }, ports) {
      const actorId = caller.account.id;
      const id = path.check_suite_id;
      await rerequestSuite(ports, { repositoryId: repository.id, id, actorId, now });
      return created({}, urls.checkSuite(fullName(repository), id));
    },
  }),

  repositoryEndpoint({
    operation: 'checks/rerequest-run',
    method: 'POST',
    path: '/repos/:owner/:repo/check-runs/:check_run_id/rerequest',
    docs: 'checks#rerequest-a-check-run',
    policy: mayPush,
    async handle({ path, caller, now, urls }, { repository }, ports) {
      const byAppId = isInstallation(caller) ? caller.installation.appId : undefined;
      const actorId = caller.account.id;
      const id = path.check_run_id;
      await rerequestRun(ports, { repositoryId: repository.id, id, byAppId, actorId, now });
      return created({}, urls.checkRun(fullName(repository), id));
    },
  }),

  repositoryEndpoint({
    operation: 'checks/set-suites-preferences',
    method: 'PATCH',
    path: '/repos/:owner/:repo/check-suites/preferences',
    docs: 'checks#update-repository-preferences-for-check-suites',
    policy: mayAdminister,
    body: Type.Object({
      auto_trigger_checks: Type.Optional(
        Type.Array(
          Type.Object({
            app_id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
            setting: Type.Boolean(),
          }),
          { maxItems: preferencesMax },
        ),
      ),
    }),
    async handle({ body, urls }, { repository }, { database }) {
      const wanted = (body.auto_trigger_checks ?? []).map(
        ({ app_id: appId, setting }): SuitePreference => ({ appId, automatic: setting }),
      );
      const preferences = await writeRepository(database, repository.id, async (sql) => {
        await requireInstalled(
          sql,
          repository.owner.id,
          wanted.map(({ appId }) => appId),
        );
        for (const each of wanted) await putPreference(sql, repository.id, each);
        return listPreferences(sql, repository.id);
      });
      return ok({
        preferences: {
          auto_trigger_checks: preferences.map(({ appId, automatic }) => ({
            app_id: appId,
            setting: automatic,
          })),
        },
        repository: representRepository(repository, urls),
      });
    },
  }),
];

/** Other Apps are refused alike, whether they exist or not: some are private. */
async function requireInstalled(
  sql: Sql,
  accountId: number,
  ids: readonly number[],
): Promise<void> {
  for (const id of new Set(ids)) {
    if (await installationOnAccount(sql, id, accountId)) continue;
    invalid({
      resource: 'CheckSuite',
      field: 'auto_trigger_checks',
      code: 'custom',
      message: `auto_trigger_checks names the App ${id}, which is not installed here`,
    });
  }
}
