import type { Sql } from '#platform/database/database.ts';

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

/** The repository of an operation, or a refusal. */
export async function authorizeOperation(
  sql: Sql,
  caller: Caller,
  { operation, policy, locator, parameters }: OperationAccess,
): Promise<{ readonly networkId: number; readonly access: RepositoryAccess }> {
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
