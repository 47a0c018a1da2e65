import { isDeepStrictEqual } from 'node:util';

import type { Sql } from '#platform/database/database.ts';

import { accountsById } from '../../accounts/account-store.ts';
import { reconciledRead } from '../../auth/reconciled-read.ts';
import { findRules } from '../../branches/protection-store.ts';
import { combinedCheckState } from '../../checks/check-state.ts';
import { type Refusal, RefusalError, refuse, refuseIntegration } from '../../errors/api-error.ts';
import { writeRepository } from '../../events/invalidate.ts';
import { isInstallation, type UserCaller } from '../../model/caller.ts';
import { type AutoMerge, mergeability, mergeableState, type Pull } from '../../model/pull.ts';
import { atLeast, type Permission } from '../../model/permission.ts';
import type { Repository } from '../../model/repository.ts';
import type { Ports } from '../../ports/ports.ts';
import { protectionOf } from './merge-obstacles.ts';
import { permissionIn } from '../../repositories/repository-access.ts';
import { repositoriesById } from '../../repositories/repository-store.ts';
import { countAutoMerges, setAutoMerge } from '../auto-merge-store.ts';
import type { MergeMethod } from '../merge-methods.ts';
import { scheduleMergeabilityCheck } from '../mergeability.ts';
import { findPullById } from '../pull-store.ts';
import { mergePull } from './merge-pull.ts';

interface EnableInput {
  readonly pull: Pull;
  readonly repository: Repository;
  readonly caller: UserCaller;
  readonly method: MergeMethod;
  readonly title: string | null;
  readonly message: string | null;
  /** The head that the caller expects. */
  readonly expectedHead: string | undefined;
  readonly now: number;
}

/** Has a pull merged in the name of the caller as soon as the rules of its base allow it, or refuses with the reason. */
export async function enableAutoMerge(ports: Ports, input: EnableInput): Promise<void> {
  const { repository, caller, method, title, message, now } = input;
  // It merges in the name of an account, of which an App has none with rights of its own.
  if (isInstallation(caller)) return refuseIntegration();
  refuseLong('Commit headline', title, titleCharactersMax);
  refuseLong('Commit body', message, messageCharactersMax);
  await writeRepository(ports.database, repository.id, async (sql) => {
    const present = (await repositoriesById(sql, [repository.id])).get(repository.id);
    const pull = await findPullById(sql, input.pull.id);
    if (!present || !pull) return refuse({ kind: 'not-found' });
    if (!atLeast(await permissionIn(sql, caller, repository.id, true), 'write')) {
      return refuse({ kind: 'forbidden', message: 'Must have push access to the repository.' });
    }
    const refusal = await autoMergeRefusal(sql, present, pull);
    if (refusal !== undefined) unprocessable(refusal);
    if (!pull.autoMerge && (await countAutoMerges(sql, repository.id)) >= pullsMax) {
      unprocessable(`At most ${pullsMax} pull requests of a repository have auto-merge.`);
    }
    refuseDisabledMethod(present, method);
    if (input.expectedHead !== undefined && input.expectedHead !== pull.head.sha) {
      unprocessable('Head branch was modified. Review and try the merge again.');
    }
    const at = pull.autoMerge?.at ?? now;
    await setAutoMerge(sql, pull.id, {
      at,
      byId: caller.account.id,
      headSha: pull.head.sha,
      method,
      title,
      message,
    });
  });
  scheduleMergeabilityCheck(ports, input.pull.id);
}

/** Title of the commit of auto-merge; lists of pulls show it. */
const titleCharactersMax = 1024;
/** Message of the commit of auto-merge. */
const messageCharactersMax = 65_536;
/** Pulls of a repository with auto-merge: each event of a repository checks all of them. */
const pullsMax = 100;

function refuseLong(what: string, text: string | null, charactersMax: number): void {
  if (text !== null && text.length > charactersMax) {
    unprocessable(`${what} is too long (maximum is ${charactersMax} characters)`);
  }
}

/** Why auto-merge cannot be enabled for a pull now; undefined if it can. */
export async function autoMergeRefusal(
  sql: Sql,
  repository: Repository,
  pull: Pull,
): Promise<string | undefined> {
  if (!repository.allowAutoMerge) return 'Auto merge is not allowed for this repository';
  if (pull.state === 'closed') return 'Pull request is closed';
  if (pull.draft) return 'Pull request is in draft status';
  if (!(await findRules(sql, repository.id, pull.base.ref))) {
    return 'Pull request Protected branch rules not configured for this branch';
  }
  return (await isReady(sql, pull)) ? 'Pull request is in clean status' : undefined;
}

function refuseDisabledMethod(repository: Repository, method: MergeMethod): void {
  const allowed = {
    merge: repository.allowMergeCommit,
    squash: repository.allowSquashMerge,
    rebase: repository.allowRebaseMerge,
  };
  if (!allowed[method]) {
    unprocessable(`Merge method ${method} merging is not allowed on this repository`);
  }
}

/** Disables auto-merge, or refuses with the reason. */
export async function disableAutoMerge(
  ports: Pick<Ports, 'database'>,
  { pull, repository, caller }: Pick<EnableInput, 'pull' | 'repository' | 'caller'>,
): Promise<void> {
  await writeRepository(ports.database, repository.id, async (sql) => {
    const current = await findPullById(sql, pull.id);
    if (!current?.autoMerge)
      return unprocessable("Can't disable auto-merge for this pull request.");
    const permission = await permissionIn(sql, caller, repository.id, true);
    if (!mayDisableAutoMerge(current, caller, permission)) {
      return refuse({ kind: 'forbidden', message: 'Must have push access to the repository.' });
    }
    await setAutoMerge(sql, pull.id, undefined);
  });
}

/** The author, the account that enabled it, and those who may push. */
export function mayDisableAutoMerge(
  { authorId, autoMerge }: Pull,
  caller: UserCaller,
  permission: Permission,
): boolean {
  if (!autoMerge) return false;
  return atLeast(permission, 'write') || [authorId, autoMerge.byId].includes(caller.account.id);
}

/** Merges a pull with auto-merge if the rules of its base allow it now. */
export async function autoMergePull(ports: Ports, pullId: number): Promise<void> {
  const found = await reconciledRead(ports, async (sql) => {
    const pull = await findPullById(sql, pullId);
    if (!pull?.autoMerge) return { networkId: undefined };
    const repository = (await repositoriesById(sql, [pull.repositoryId])).get(pull.repositoryId);
    const caller = await callerOf(sql, pull.autoMerge, pull.repositoryId);
    const ready = await isReady(sql, pull);
    const { networkId } = repository ?? {};
    return { networkId, pull, autoMerge: pull.autoMerge, repository, caller, ready };
  });
  if (!('pull' in found) || !found.repository) return;
  const { pull, autoMerge, repository, caller, ready } = found;
  if (!caller || !repository.allowAutoMerge) return clearAutoMerge(ports, pull);
  // Those who push to a fork need not be trusted with this repository.
  const foreign = pull.head.repositoryId !== pull.repositoryId;
  if (foreign && pull.head.sha !== autoMerge.headSha) return clearAutoMerge(ports, pull);
  if (mergeability(pull) === 'unknown') scheduleMergeabilityCheck(ports, pull.id);
  if (!ready) return;
  try {
    await mergePull(ports, {
      pull,
      repository,
      caller,
      method: autoMerge.method,
      sha: pull.head.sha,
      autoMerge,
      input: { title: autoMerge.title ?? undefined, message: autoMerge.message ?? undefined },
      now: ports.clock.now(),
      offsetMinutes: 0,
    });
  } catch (error) {
    // What has changed since the check is an event of its own, after which it is checked again.
    if (!(error instanceof RefusalError)) throw error;
    // No event changes these; the same work would be done again after each.
    if (isLasting(error.refusal)) await clearAutoMerge(ports, pull);
  }
}

function isLasting(refusal: Refusal): boolean {
  return (
    refusal.kind === 'not-mergeable' && ['rebase-conflicts', 'git-limit'].includes(refusal.reason)
  );
}

/** The account that enabled auto-merge, with the permissions that it has now; undefined if it may not push any more, or is suspended. */
async function callerOf(
  sql: Sql,
  { byId }: AutoMerge,
  repositoryId: number,
): Promise<UserCaller | undefined> {
  const account = byId === null ? undefined : (await accountsById(sql, [byId])).get(byId);
  if (!account || account.suspendedAt !== null) return undefined;
  const caller = { kind: 'user', account, scopes: 'password' } as const;
  return atLeast(await permissionIn(sql, caller, repositoryId, true), 'write') ? caller : undefined;
}

/** A merge is possible, and nothing that the base requires is missing. Other checks may be pending or have failed. */
async function isReady(sql: Sql, pull: Pull): Promise<boolean> {
  const statuses = await combinedCheckState(sql, pull.repositoryId, pull.head.sha);
  const protection = await protectionOf(sql, pull.repositoryId, pull);
  const state = mergeableState(pull, statuses, protection);
  return state === 'clean' || state === 'unstable';
}

async function clearAutoMerge(ports: Pick<Ports, 'database'>, pull: Pull): Promise<void> {
  await writeRepository(ports.database, pull.repositoryId, async (sql) => {
    // It may have been enabled again meanwhile.
    const current = await findPullById(sql, pull.id);
    if (isDeepStrictEqual(current?.autoMerge, pull.autoMerge)) {
      await setAutoMerge(sql, pull.id, undefined);
    }
  });
}

function unprocessable(message: string): never {
  return refuse({ kind: 'unprocessable', message });
}
