import type { AppPermissionName } from '../model/app.ts';
import { type Caller, callerAccountId } from '../model/caller.ts';
import { holdsAny } from '../model/scopes.ts';

/** Whose search it is, and what of private repositories it may find. */
export interface Searcher {
  /** 0 without an account. `@me` in a query. */
  readonly accountId: number;
  readonly login: string | undefined;
  readonly seesPrivate: boolean;
  /** For an installation, the private repositories that it covers. */
  readonly covers?: {
    readonly accountId: number;
    readonly repositoryIds: ReadonlySet<number> | 'all';
    /** What it may read there. */
    readonly reads: ReadonlySet<AppPermissionName>;
  };
}

export function searcherOf(caller: Caller): Searcher {
  const accountId = callerAccountId(caller);
  const login = caller.kind === 'user' ? caller.account.login : undefined;
  if (caller.kind !== 'user' || !caller.installation) {
    const seesPrivate = caller.kind === 'user' && holdsAny(caller.scopes, ['repo']);
    return { accountId, login, seesPrivate };
  }
  const { accountId: ownerId, repositoryIds, permissions } = caller.installation;
  const names: readonly AppPermissionName[] = ['contents', 'issues', 'metadata', 'pull_requests'];
  const reads = new Set(names.filter((name) => permissions[name] !== undefined));
  return {
    accountId,
    login,
    seesPrivate: false,
    covers: { accountId: ownerId, repositoryIds, reads },
  };
}
