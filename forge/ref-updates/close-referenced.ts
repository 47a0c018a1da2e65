import type { Sql } from '#platform/database/database.ts';

import { locateById, locateByName } from '../permissions/access-store.ts';
import { atLeast } from '../model/permission.ts';
import { accountPermissionIn } from '../repositories/repository-access.ts';
import type { Commit } from '../git/git.ts';
import { GitError } from '../git/git-error.ts';
import { noObject, type ObjectId } from '../git/names.ts';
import type { Ports } from '../ports/ports.ts';
import { findPullById } from '../pulls/pull-store.ts';
import { repositoriesById } from '../repositories/repository-store.ts';
import { invalidateRepository, type RepositoryWrite } from '../events/invalidate.ts';
import {
  closingMessagePattern,
  closingReferences,
  type IssueReference,
  keyOf,
  referencesMax,
  withoutCode,
} from '../issues/closing-keywords.ts';
import { setIssueState } from '../issues/issue-change-store.ts';
import { findIssue } from '../issues/issue-store.ts';
import { findTransferred } from '../issues/transfer-issue-store.ts';
import type { Issue } from '../model/issue.ts';
import type { RefMove } from '../git/ref-update.ts';

/** Who made a change of refs, when, and the base URLs of links to issues. */
export interface ChangeActor {
  readonly actorId: number | null;
  readonly now: number;
  readonly origins: readonly string[];
}

/** Commits of one change to the default branch that are read for closing keywords; of more, the latest. */
const commitsMax = 250;

/** The URLs under which clients know this server. */
export function originsOf({ settings }: Pick<Ports, 'settings'>): string[] {
  return [settings.baseUrl, ...settings.loopbackBaseUrls.values()];
}

/** The commits that a change added to the default branch and whose messages close issues. */
export async function closingCommits(
  ports: Pick<Ports, 'database' | 'git'>,
  repositoryId: number,
  moves: readonly RefMove[],
): Promise<readonly Commit[]> {
  if (!moves.some(({ ref }) => ref.startsWith('refs/heads/'))) return [];
  const found = await ports.database.read((sql) => repositoriesById(sql, [repositoryId]));
  const branch = `refs/heads/${found.get(repositoryId)?.defaultBranch}`;
  const move = moves.find(({ ref }) => ref === branch);
  // A new branch may carry the history of another repository, whose issue numbers mean nothing here.
  if (!move || move.new === noObject || move.old === noObject) return [];
  const wanted = {
    from: move.new,
    notIn: [move.old],
    message: closingMessagePattern,
    max: commitsMax,
  };
  try {
    return await ports.git.repository(repositoryId).log(wanted);
  } catch (error) {
    // The branch has moved, and its rows must follow whatever the size of the history.
    if (error instanceof GitError && error.kind === 'limit') return [];
    throw error;
  }
}

/** Closes the issues that these commits, newest first, say they close. */
export async function closeByCommits(
  sql: RepositoryWrite,
  repositoryId: number,
  commits: readonly Commit[],
  by: ChangeActor,
): Promise<void> {
  const closings = new Map<string, Closing>();
  for (const { id: commit, message } of commits.toReversed()) {
    for (const reference of closingReferences(message, by.origins)) {
      const key = keyOf(reference);
      if (!closings.has(key)) closings.set(key, { reference, commit });
    }
  }
  await closeReferenced(sql, repositoryId, [...closings.values()].slice(0, referencesMax), by);
}

/** Closes the issues named in the body of a merged pull, if it was merged into the default branch. */
export async function closeByPull(
  sql: RepositoryWrite,
  pullId: number,
  by: ChangeActor,
): Promise<void> {
  const pull = await findPullById(sql, pullId);
  if (!pull?.body) return;
  const { repositoryId } = pull;
  const repository = (await repositoriesById(sql, [repositoryId])).get(repositoryId);
  if (repository?.defaultBranch !== pull.base.ref) return;
  const references = closingReferences(withoutCode(pull.body), by.origins);
  const closings = references.map((reference) => ({ reference, commit: undefined }));
  await closeReferenced(sql, repositoryId, closings, by);
}

interface Closing {
  readonly reference: IssueReference;
  readonly commit: ObjectId | undefined;
}

/**
 * The user who pushed or merged needs write access to the repository of the issue. A change in a public repository closes
 * issues of public repositories only, because its token may not be valid for private ones. Only issues of the commit's own
 * repository name the commit, because readers of another repository may not be allowed to see it.
 */
async function closeReferenced(
  sql: RepositoryWrite,
  repositoryId: number,
  closings: readonly Closing[],
  { actorId, now }: ChangeActor,
): Promise<void> {
  if (closings.length === 0 || actorId === null) return;
  const source = await locateById(sql, repositoryId, actorId);
  if (!source) return;
  for (const { reference, commit } of closings) {
    const { repository, number } = reference;
    const named = repository
      ? await locateByName(sql, repository.owner, repository.name, actorId)
      : source;
    const issue = named && (await findNumbered(sql, named.id, number));
    if (!issue || issue.pull) continue;
    const target =
      issue.repositoryId === named.id ? named : await locateById(sql, issue.repositoryId, actorId);
    if (!target || target.archived) continue;
    const here = target.id === source.id;
    if (!here && target.private && !source.private) continue;
    if (!atLeast(await accountPermissionIn(sql, actorId, target.id), 'write')) continue;
    const change = { issueId: issue.id, repositoryId: target.id, actorId, now };
    const write = here ? sql : await invalidateRepository(sql, target.id);
    await setIssueState(write, issue, 'closed', change, here ? { commit } : {});
  }
}

/** The issue of this number, also where it was transferred since. */
async function findNumbered(
  sql: Sql,
  repositoryId: number,
  number: number,
): Promise<Issue | undefined> {
  const issue = await findIssue(sql, repositoryId, number);
  if (issue) return issue;
  const [moved] = await findTransferred(sql, repositoryId, [number]);
  return moved && findIssue(sql, moved.repositoryId, moved.number);
}
