import type { Sql } from '#platform/database/database.ts';
import { uniqueViolation } from '#platform/database/constraint-violation.ts';
import { present } from '#platform/present.ts';

import type { UserCaller } from '../../model/caller.ts';
import { atLeast } from '../../model/permission.ts';
import { issuePermissionIn } from '../../repositories/repository-access.ts';
import { invalid, notFound } from '../../errors/api-error.ts';
import type { Ports } from '../../ports/ports.ts';
import { refsVersions } from '../../ref-updates/refs-version-store.ts';
import { writeWithRefs } from '../../ref-updates/write-with-refs.ts';
import type { Repository } from '../../model/repository.ts';
import { type RepositoryWrite, writeRepository } from '../../events/invalidate.ts';
import { baseTip, maintainerMayModify, mayPushToHead } from '../branches-of-pull.ts';
import { type CommitQueries, createCommitQueries } from '../commit-queries.ts';
import { closePull, updatePullRows, type PullEdit, reopenPull } from '../pull-change-store.ts';
import type { EditPullInput } from '../pull-input.ts';
import { moveHeadRef, type PullTips, tipsForReopening } from '../reopen.ts';
import type { PullEvent } from '../../model/domain-event.ts';
import { emitPullEvent } from '../../events/event-outbox-store.ts';
import { findPullById } from '../pull-store.ts';
import type { Pull, PullSettings } from '../../model/pull.ts';

export interface EditRequest {
  readonly pull: Pull;
  readonly repository: Repository;
  readonly caller: UserCaller;
  readonly input: Partial<EditPullInput>;
  readonly now: number;
}

/** Who may edit: the author, who may push to the base, and who may push to the head (more than docs/specification/forge.md 3.6). */
export async function mayEdit(
  sql: Sql,
  caller: UserCaller,
  repository: Repository,
  pull: Pull,
): Promise<boolean> {
  if (pull.authorId === caller.account.id) return true;
  if (atLeast(await issuePermissionIn(sql, caller, repository.id), 'write')) return true;
  return mayPushToHead(sql, caller, pull);
}

/** Applies an update of a pull, or refuses with the reason. */
export async function applyEdit(ports: Ports, request: EditRequest): Promise<void> {
  const { pull, repository, input } = request;
  const dependsOnRefs = input.base !== undefined || input.state === 'open';
  try {
    if (dependsOnRefs) await editWithRefs(ports, request);
    else {
      await writeRepository(ports.database, repository.id, (sql) => writeEdit(sql, request, {}));
    }
  } catch (error) {
    if (!uniqueViolation(error)) throw error;
    invalid({
      resource: 'PullRequest',
      code: 'custom',
      message: `A pull request already exists for base branch '${input.base ?? pull.base.ref}' and head branch '${pull.head.ref}'`,
    });
  }
}

async function editWithRefs(ports: Ports, request: EditRequest): Promise<void> {
  const { pull, repository, input } = request;
  const commitQueries = createCommitQueries(ports);
  await writeWithRefs(ports, {
    repositoryId: repository.id,
    versions: (sql) => refsVersions(sql, [repository.id, pull.head.repositoryId ?? repository.id]),
    async plan() {
      const current = await ports.database.read((sql) => findPullById(sql, pull.id));
      if (!current) return notFound();
      const base = await newBase(ports, { ...request, pull: current }, commitQueries);
      const reopens = input.state === 'open' && current.state === 'closed';
      const tips = reopens ? await tipsForReopening(ports, current, commitQueries) : undefined;
      return { base, tips };
    },
    moveInternalRefs: async ({ tips }) => !tips || moveHeadRef(ports, pull, tips),
    write: (sql, planned) => writeEdit(sql, request, planned),
  });
}

async function writeEdit(
  sql: RepositoryWrite,
  request: EditRequest,
  { base, tips }: { base?: PullEdit['base']; tips?: PullTips | undefined },
): Promise<void> {
  const { repository, caller, input, now } = request;
  // Read again, so that edits made since this request was read are not overwritten.
  const pull = await findPullById(sql, request.pull.id);
  if (!pull || !(await mayEdit(sql, caller, repository, pull))) return notFound();
  const byId = caller.account.id;
  const emit = (happened: Pick<PullEvent, 'action' | 'changes'>): Promise<void> =>
    emitPullEvent(sql, pull, byId, happened, now);
  const edit: PullEdit = present({
    title: input.title,
    body: input.body,
    settings: await changedSettings(sql, pull, request),
    base,
  });
  if (Object.keys(edit).length > 0) {
    await updatePullRows(sql, pull, edit, byId, now);
    const changes = changesOf(pull, edit);
    if (Object.keys(changes).length > 0) await emit({ action: 'edited', changes });
  }
  if (input.state === 'closed' && (await closePull(sql, pull, byId, now))) {
    await emit({ action: 'closed' });
  }
  if (tips && (await reopenPull(sql, pull, tips, byId, now))) await emit({ action: 'reopened' });
}

/** `changes` of the webhook payload: the old values of what was edited. */
function changesOf(pull: Pull, edit: PullEdit): NonNullable<PullEvent['changes']> {
  const { title, body, base } = edit;
  return {
    ...(title === undefined || title === pull.title ? {} : { title: { from: pull.title } }),
    ...(body === undefined || body === pull.body ? {} : { body: { from: pull.body ?? '' } }),
    ...(base ? { base: { ref: { from: pull.base.ref }, sha: { from: pull.base.sha } } } : {}),
  };
}

async function newBase(
  ports: Ports,
  { repository, pull, input: { base: name } }: EditRequest,
  commitQueries: CommitQueries,
): Promise<PullEdit['base']> {
  if (name === undefined || name === pull.base.ref) return undefined;
  const tip = await baseTip(ports, repository, name);
  if (!tip) {
    return invalid({
      message: `Proposed base branch '${name}' was not found`,
      resource: 'PullRequest',
      field: 'base',
      code: 'invalid',
    });
  }
  if (pull.state === 'closed') {
    return invalid({
      resource: 'PullRequest',
      field: 'base',
      code: 'custom',
      message: 'Cannot change the base branch of a closed pull request.',
    });
  }
  const size = await commitQueries.size(repository.id, tip.sha, pull.head.sha);
  if (size.commits === 0) {
    return invalid({
      resource: 'PullRequest',
      field: 'base',
      code: 'custom',
      message: `There are no new commits between base branch '${tip.ref}' and head branch '${pull.head.ref}'`,
    });
  }
  return { ...tip, size };
}

/** Undefined: none. */
async function changedSettings(
  sql: Sql,
  pull: Pull,
  { caller, input: { settings = {} } }: EditRequest,
): Promise<Partial<PullSettings> | undefined> {
  const changed = present({
    ...settings,
    maintainerCanModify: await changedMaintainerCanModify(sql, caller, pull, settings),
  });
  return Object.keys(changed).length > 0 ? changed : undefined;
}

/** Anybody who may edit the pull can shut maintainers out, or repeat what is set; within one repository the setting has no meaning. */
async function changedMaintainerCanModify(
  sql: Sql,
  caller: UserCaller,
  pull: Pull,
  { maintainerCanModify: wanted }: Partial<PullSettings>,
): Promise<boolean | undefined> {
  const headId = pull.head.repositoryId;
  if (wanted === undefined || headId === pull.repositoryId) return undefined;
  if (!wanted || pull.maintainerCanModify) return wanted;
  return maintainerMayModify(sql, caller, pull.repositoryId, headId);
}
