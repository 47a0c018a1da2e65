import type { Sql } from '#platform/database/database.ts';

import { combinedCheckState, requiredCheckStates } from '../checks/check-state.ts';
import { latestCheckStates } from '../checks/check-store.ts';
import { resolveBranchName } from '../branches/resolve-branch-name.ts';
import { refuse } from '../errors/api-error.ts';
import { emitEvent } from '../events/event-outbox-store.ts';
import { writeRepository } from '../events/invalidate.ts';
import { branchRef, type ObjectId } from '../git/names.ts';
import type { UserCaller } from '../model/caller.ts';
import type { Deployment, DeploymentInput } from '../model/deployment.ts';
import type { Repository } from '../model/repository.ts';
import type { Ports } from '../ports/ports.ts';
import { mergeBranches } from '../ref-updates/merge-branches.ts';
import type { SigningTime } from '../repositories/commit-people.ts';
import { combinedStatus } from '../statuses/status-store.ts';
import { insertDeployment } from './deployment-store.ts';

export interface CreateDeploymentRequest {
  readonly repository: Repository;
  readonly caller: UserCaller;
  /** A branch, tag or commit. */
  readonly ref: string;
  readonly input: DeploymentInput;
  /** Whether the default branch is merged into a branch that lacks some of its commits. */
  readonly autoMerge: boolean;
  /** The checks that must have succeeded; without, all of the commit. */
  readonly requiredContexts: readonly string[] | undefined;
  readonly signingTime: SigningTime;
}

/** Creates a deployment, or merges the default branch into the one to deploy, which is then to be deployed by another request. */
export async function createDeployment(
  ports: Ports,
  request: CreateDeploymentRequest,
): Promise<Deployment | 'merged'> {
  const { repository, ref, caller, input, signingTime } = request;
  const git = ports.git.repository(repository.id);
  const named = await git.resolveCommit(ref);
  if (!named) return refuseRef(ref);
  if (request.autoMerge && (await mergeDefaultBranch(ports, request, named))) return 'merged';
  const sha = (await git.resolveCommit(ref)) ?? refuseRef(ref);
  return writeRepository(ports.database, repository.id, async (sql) => {
    await refuseFailedChecks(sql, request, sha);
    const deployment = await insertDeployment(sql, {
      ...input,
      repositoryId: repository.id,
      creatorId: caller.account.id,
      sha,
      ref,
      createdAt: signingTime.now,
    });
    const event = { event: 'deployment', action: 'created', deploymentId: deployment.id } as const;
    const actorId = caller.account.id;
    await emitEvent(sql, repository.id, { ...event, actorId }, signingTime.now);
    return deployment;
  });
}

function refuseRef(ref: string): never {
  return refuse({ kind: 'unprocessable', message: `No ref found for: ${ref}` });
}

/** Whether there was something to merge. A tag or a commit cannot be merged into. */
async function mergeDefaultBranch(
  ports: Ports,
  { repository, caller, ref, signingTime }: CreateDeploymentRequest,
  named: ObjectId,
): Promise<boolean> {
  const { id, defaultBranch } = repository;
  const git = ports.git.repository(id);
  const base = await resolveBranchName(git, ref);
  if (base === defaultBranch) return false;
  const upstream = await git.resolveCommit(`refs/heads/${defaultBranch}`);
  if (!upstream || (await git.isAncestor(upstream, named))) return false;
  const conflict = `Conflict merging ${defaultBranch} into ${ref}.`;
  const tip = base && (await git.readRef(branchRef(base)));
  if (!tip) return refuse({ kind: 'conflict', message: conflict });
  const merged = await mergeBranches(ports, {
    repositoryId: id,
    caller,
    base: ref,
    head: `refs/heads/${defaultBranch}`,
    message: `Merge ${defaultBranch} into ${base}`,
    conflict,
    signingTime,
  });
  return merged !== undefined;
}

/** As GitHub counts, a commit without checks may be deployed, and a required check that nothing has reported is pending. */
async function refuseFailedChecks(
  sql: Sql,
  { repository, ref, requiredContexts }: CreateDeploymentRequest,
  sha: ObjectId,
): Promise<void> {
  const contexts = requiredContexts
    ? await requiredStates(sql, repository.id, sha, requiredContexts)
    : await allStates(sql, repository.id, sha);
  if (!contexts) return;
  const where = { resource: 'Deployment', field: 'required_contexts', code: 'invalid' } as const;
  refuse({
    kind: 'conflict',
    message: `Conflict: Commit status checks failed for ${ref}.`,
    errors: [{ contexts, ...where }],
  });
}

interface ContextState {
  readonly context: string;
  readonly state: string;
}

/** undefined if all have succeeded. */
async function requiredStates(
  sql: Sql,
  repositoryId: number,
  sha: ObjectId,
  contexts: readonly string[],
): Promise<ContextState[] | undefined> {
  const required = contexts.map((context) => ({ context, appId: null }));
  const states = await requiredCheckStates(sql, repositoryId, sha, required);
  if (states.every(({ state }) => state === 'success')) return undefined;
  return states.map(({ context, state }) => ({ context, state: state ?? 'pending' }));
}

/** The first contexts of a commit; undefined if all have succeeded. */
async function allStates(
  sql: Sql,
  repositoryId: number,
  sha: ObjectId,
): Promise<ContextState[] | undefined> {
  const combined = await combinedCheckState(sql, repositoryId, sha);
  if (combined === 'none' || combined === 'success') return undefined;
  const page = { offset: 0, size: shownMax };
  const { statuses } = await combinedStatus(sql, repositoryId, sha, page);
  const runs = await latestCheckStates(sql, repositoryId, [sha]);
  const states = [...statuses, ...runs.map(({ name, state }) => ({ context: name, state }))];
  return states.slice(0, shownMax).map(({ context, state }) => ({ context, state }));
}

/** Contexts that the refusal of a deployment names. */
const shownMax = 100;
