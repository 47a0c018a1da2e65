import type { Database, Sql } from '#platform/database/database.ts';
import { ReadCache } from '#platform/database/read-cache.ts';

import { refuseOtherKind } from '../auth/apps/issue-kind.ts';
import { requiredPermissions } from '../auth/apps/required-permissions.ts';
import { type Caller, isInstallation } from '../model/caller.ts';
import {
  authorizeRepository,
  loadRepository,
  type RepositoryAccess,
  type RepositoryLocator,
  type RepositoryPolicy,
} from '../repositories/repository-access.ts';

/** A call of an operation in a repository, by whatever way it came. */
export interface OperationAccess {
  readonly operation: string;
  readonly policy: RepositoryPolicy;
  readonly locator: RepositoryLocator;
  readonly parameters: Readonly<Record<string, string>>;
}

export interface AccessDecision {
  readonly networkId: number;
  readonly access: RepositoryAccess;
}

/** The repository of an operation, or a refusal. */
export async function authorizeOperation(
  sql: Sql,
  caller: Caller,
  { operation, policy, locator, parameters }: OperationAccess,
): Promise<AccessDecision> {
  const required = requiredPermissions.get(operation) ?? [];
  const authorization = await authorizeRepository(sql, caller, locator, policy, required);
  const access = await loadRepository(sql, authorization);
  if (isInstallation(caller) && (access.repository.private || policy.changes)) {
    const { repositoryId } = authorization;
    const request = { repositoryId, operation, parameters };
    await refuseOtherKind(sql, caller.installation, required, request);
  }
  return { networkId: authorization.networkId, access };
}

/**
 * Decisions that a caller may run an operation in a repository, cached until the next commit, so that requests that arrive
 * together ask the database once. They belong to the object of the caller, which is never changed: a decision holds for no
 * other rights than those that it was made with. Requests with one token share that object until the next commit
 * (http/authentication.ts).
 */
export class AccessDecisions {
  readonly #database: Pick<Database, 'dataVersion'>;
  readonly #byCaller = new WeakMap<Caller, ReadCache<AccessDecision>>();

  constructor(database: Pick<Database, 'dataVersion'>) {
    this.#database = database;
  }

  /** What `decide` would decide now; refusals are not cached. */
  find(
    caller: Caller,
    operation: string,
    locator: RepositoryLocator,
    decide: () => Promise<AccessDecision>,
  ): Promise<AccessDecision> {
    // What an installation may do can also depend on the issue that the path names.
    if (isInstallation(caller)) return decide();
    let decisions = this.#byCaller.get(caller);
    if (!decisions) {
      decisions = new ReadCache(this.#database, decisionsMax);
      this.#byCaller.set(caller, decisions);
    }
    return decisions.find(`${operation} ${locatorKey(locator)}`, decide);
  }
}

/** Names of repositories contain no slash, so no other one that exists has the same text. */
function locatorKey(locator: RepositoryLocator): string {
  return 'id' in locator ? `${locator.id}` : `${locator.owner}/${locator.name}`;
}

/** Decisions about access cached for each cached token, of some thousand bytes each. */
const decisionsMax = 8;
