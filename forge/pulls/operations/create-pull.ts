import { uniqueViolation } from '#platform/database/constraint-violation.ts';
import { systemRandom } from '#platform/random.ts';
import { DatabaseUnavailableError } from '#platform/storage-failure.ts';

import { type FieldError, invalid, refuse } from '../../errors/api-error.ts';
import { emitPullEvent } from '../../events/event-outbox-store.ts';
import type { RepositoryWrite } from '../../events/invalidate.ts';
import { noObject, pullHeadRef } from '../../git/names.ts';
import { findIssue } from '../../issues/issue-store.ts';
import type { UserCaller } from '../../model/caller.ts';
import { atLeast } from '../../model/permission.ts';
import { defaultPullSettings, type PullSize } from '../../model/pull.ts';
import { fullName } from '../../model/repository.ts';
import type { Ports } from '../../ports/ports.ts';
import { insertIntent, type RefIntent } from '../../ref-updates/intent-store.ts';
import { publishOpened, resumeLater, resumeUnacknowledged } from '../../ref-updates/reconcile.ts';
import { requireShardOwnership, withCurrentShardOwner } from '../../ref-updates/shard-ownership.ts';
import { refsVersions } from '../../ref-updates/refs-version-store.ts';
import { writeWithRefs } from '../../ref-updates/write-with-refs.ts';
import { unlessDeleted } from '../../repositories/get-repository.ts';
import { issuePermissionIn } from '../../repositories/repository-access.ts';
import {
  type BaseTip,
  baseTip,
  headRepositoryId,
  headTip,
  type HeadTip,
  maintainerMayModify,
} from '../branches-of-pull.ts';
import { type CommitQueries, createCommitQueries } from '../commit-queries.ts';
import {
  insertPull,
  insertPullRow,
  type NewPull,
  convertIssueToPull,
} from '../pull-change-store.ts';
import type { CreatePullInput } from '../pull-input.ts';
import { openPullFor } from '../pull-store.ts';

/**
 * Opens a pull, or refuses with the reason. Returns its number. An intent of the same transaction creates `refs/pull/N/head` where this server
 * does not come to it.
 */
export async function createPull(ports: Ports, input: CreatePullInput): Promise<number> {
  const { number, intent } = await withCurrentShardOwner(ports, () => open(ports, input));
  try {
    await publishOpened(ports, intent);
  } catch (error) {
    resumeLater(ports, intent.id, intent.repositoryId);
    throw error;
  }
  return number;
}

interface Opened {
  readonly number: number;
  readonly intent: Pick<RefIntent, 'id' | 'repositoryId' | 'refs'>;
}

async function open(ports: Ports, input: CreatePullInput): Promise<Opened> {
  const { repository } = input;
  const commitQueries = createCommitQueries(ports);
  const key = systemRandom.id();
  let isInserted = false;
  try {
    return await writeWithRefs(ports, {
      repositoryId: repository.id,
      versions: async (sql) => {
        const headId = await headRepositoryId(sql, input);
        return refsVersions(sql, [repository.id, headId ?? repository.id]);
      },
      plan: () => planPull(ports, input, commitQueries),
      async write(sql, pull) {
        await requireShardOwnership(ports, sql, repository.id);
        const opened = await insert(sql, input, pull);
        const refs = [{ ref: pullHeadRef(opened.number), old: noObject, new: pull.head.sha }];
        const intent = { repositoryId: repository.id, refs };
        const id = await insertIntent(sql, {
          ...intent,
          merge: undefined,
          opensPull: true,
          kind: 'update',
          now: input.now,
          serverId: ports.serverId,
          key,
        });
        isInserted = true;
        return { number: opened.number, intent: { ...intent, id } };
      },
    });
  } catch (error) {
    if (isInserted && error instanceof DatabaseUnavailableError)
      resumeUnacknowledged(ports, repository.id, key);
    throw error;
  }
}

async function planPull(
  ports: Ports,
  input: CreatePullInput,
  commitQueries: CommitQueries,
): Promise<NewPull> {
  const base = await baseTip(ports, input.repository, input.base);
  const head = await headTip(ports, input);
  const unknown: FieldError[] = [];
  if (!base) unknown.push({ resource: 'PullRequest', field: 'base', code: 'invalid' });
  if (!head) unknown.push({ resource: 'PullRequest', field: 'head', code: 'invalid' });
  if (!base || !head) return invalid(...unknown);
  const maintainerCanModify =
    input.settings.maintainerCanModify === true &&
    (await ports.database.read((sql) =>
      maintainerMayModify(sql, input.caller, input.repository.id, head.repository.id),
    ));
  // The author of a pull must be able to push to its head (docs/specification/forge.md 3.6).
  if (!head.mayPush) {
    refuse({ kind: 'forbidden', message: 'Must have push access to the head branch.' });
  }
  return {
    repositoryId: input.repository.id,
    authorId: input.caller.account.id,
    title: 'title' in input.source ? input.source.title : '',
    body: 'title' in input.source ? input.source.body : null,
    base: { ref: base.ref, sha: base.sha },
    head: {
      ref: head.ref,
      sha: head.sha,
      repositoryId: head.repository.id,
      ownerId: head.repository.owner.id,
      ownerLogin: head.repository.owner.login,
    },
    settings: { ...defaultPullSettings, ...input.settings, maintainerCanModify },
    size: await measureNew(ports, input, { base, head, commitQueries }),
    now: input.now,
  };
}

async function insert(
  sql: RepositoryWrite,
  input: CreatePullInput,
  pull: NewPull,
): Promise<{ readonly number: number }> {
  const { base, head, repositoryId } = pull;
  const duplicate = await openPullFor(
    sql,
    repositoryId,
    base.ref,
    head.repositoryId ?? 0,
    head.ref,
  );
  if (duplicate) return refuseDuplicate(head);
  const opened = await insertRows(sql, input, pull).catch((error: unknown) =>
    uniqueViolation(error) ? refuseDuplicate(head) : Promise.reject(error),
  );
  const made = { id: opened.id, repositoryId };
  await emitPullEvent(sql, made, pull.authorId, { action: 'opened' }, pull.now);
  return { number: opened.number };
}

async function insertRows(
  sql: RepositoryWrite,
  { source, caller }: CreatePullInput,
  pull: NewPull,
): Promise<{ id: number; number: number }> {
  if ('title' in source) return insertPull(sql, pull);
  const number = source.issueNumber;
  const { id } = await issueForPull(sql, caller, pull.repositoryId, number);
  await insertPullRow(sql, id, pull);
  return { id, number };
}

function refuseDuplicate({ ownerLogin, ref }: NewPull['head']): never {
  return invalid({
    resource: 'PullRequest',
    code: 'custom',
    message: `A pull request already exists for ${ownerLogin}:${ref}.`,
  });
}

async function measureNew(
  ports: Ports,
  input: CreatePullInput,
  { base, head, commitQueries }: { base: BaseTip; head: HeadTip; commitQueries: CommitQueries },
): Promise<PullSize> {
  const { repository } = input;
  const git = ports.git.repository(repository.id);
  const isCrossRepository = head.repository.id !== repository.id;
  await unlessDeleted(
    ports.database,
    head.repository.id,
    () => commitQueries.fetchHead(repository.id, head.repository.id, head.sha),
    () => invalid({ resource: 'PullRequest', field: 'head', code: 'invalid' }),
  );
  if (!(await git.mergeBase(base.sha, head.sha))) {
    return invalid({
      resource: 'PullRequest',
      code: 'custom',
      message: `The ${input.head} branch has no history in common with ${fullName(repository)}:${base.ref}`,
    });
  }
  const size = await commitQueries.size(repository.id, base.sha, head.sha);
  if (size.commits > 0) return size;
  const [from, to] = isCrossRepository
    ? [`${repository.owner.login}:${base.ref}`, `${head.repository.owner.login}:${head.ref}`]
    : [base.ref, head.ref];
  return invalid({
    resource: 'PullRequest',
    code: 'custom',
    message: `No commits between ${from} and ${to}`,
  });
}

/**
 * Converts an open issue into a pull; number, title and body stay. This cannot be undone, so it requires the issue's author
 * or the triage role.
 */
async function issueForPull(
  sql: RepositoryWrite,
  caller: UserCaller,
  repositoryId: number,
  number: number,
): Promise<{ id: number }> {
  const issue = await findIssue(sql, repositoryId, number);
  if (issue && issue.authorId !== caller.account.id) {
    const permission = await issuePermissionIn(sql, caller, repositoryId);
    if (!atLeast(permission, 'triage')) {
      refuse({
        kind: 'forbidden',
        message: 'Must be the author of the issue or be able to triage it.',
      });
    }
  }
  const id = await convertIssueToPull(sql, repositoryId, number);
  if (id !== undefined) return { id };
  return invalid({ resource: 'PullRequest', field: 'issue', code: 'invalid' });
}
