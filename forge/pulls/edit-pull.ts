import type { Sql } from '#platform/database.ts';
import { uniqueViolation } from '#platform/unique-violation.ts';

import type { UserCaller } from '../access/caller.ts';
import { atLeast } from '../access/permission.ts';
import { permissionIn } from '../access/repository-access.ts';
import { invalid, notFound } from '../conventions/refusal.ts';
import type { Ports } from '../ports.ts';
import { type Repository, repositoryLane } from '../repositories/repository.ts';
import { baseTip } from './branches-of-pull.ts';
import { mayPushToHead } from './head-access.ts';
import { measurePull } from './measure.ts';
import { closePull, editPull, type PullEdit, reopenPull } from './pull-change-store.ts';
import { tipsForReopening } from './reopen.ts';
import type { PullHappening } from '../webhooks/happening.ts';
import { announcePull } from '../webhooks/announce-pull.ts';
import type { Pull } from './pull.ts';

export interface EditWish {
  readonly title: string | undefined;
  readonly body: string | null | undefined;
  readonly state: 'open' | 'closed' | undefined;
  readonly base: string | undefined;
  readonly maintainerCanModify: boolean | undefined;
}

/** Who may edit: the author, who may push to the base, and who may push to the head (spec, Authentication 6). */
export async function mayEdit(
  sql: Sql,
  caller: UserCaller,
  repository: Repository,
  pull: Pull,
): Promise<boolean> {
  if (pull.authorId === caller.account.id) return true;
  if (atLeast(await permissionIn(sql, caller, repository.id, true), 'write')) return true;
  return mayPushToHead(sql, caller, pull);
}

/** Changes words, base or state of a pull, or refuses with the reason. */
export async function applyEdit(
  ports: Ports,
  request: { pull: Pull; repository: Repository; caller: UserCaller; wish: EditWish; now: number },
): Promise<void> {
  const { pull, repository, caller, wish, now } = request;
  const base = await newBase(ports, repository, pull, wish.base);
  const reopened =
    wish.state === 'open' && pull.state === 'closed'
      ? await tipsForReopening(ports, pull)
      : undefined;
  const edit: PullEdit = {
    ...(wish.title === undefined ? {} : { title: wish.title }),
    ...(wish.body === undefined ? {} : { body: wish.body }),
    ...(maintainersChange(pull, wish)
      ? { maintainerCanModify: wish.maintainerCanModify === true }
      : {}),
    ...(base ? { base } : {}),
  };
  try {
    await ports.database.write(
      async (sql) => {
        if (!(await mayEdit(sql, caller, repository, pull))) return notFound();
        const byId = caller.account.id;
        const tell = (happened: Pick<PullHappening, 'action' | 'changes'>): Promise<void> =>
          announcePull(sql, pull, byId, happened, now);
        if (Object.keys(edit).length > 0) {
          await editPull(sql, pull, edit, byId, now);
          const changes = changesOf(pull, edit);
          if (Object.keys(changes).length > 0) await tell({ action: 'edited', changes });
        }
        if (wish.state === 'closed' && (await closePull(sql, pull, byId, now))) {
          await tell({ action: 'closed' });
        }
        if (reopened && (await reopenPull(sql, pull, reopened, byId, now))) {
          await tell({ action: 'reopened' });
        }
      },
      { lane: repositoryLane(repository.id) },
    );
  } catch (error) {
    if (!uniqueViolation(error)) throw error;
    const baseRef = base?.ref ?? pull.base.ref;
    invalid({
      resource: 'PullRequest',
      code: 'custom',
      message: `A pull request already exists for base branch '${baseRef}' and head branch '${pull.head.ref}'`,
    });
  }
}

/** What webhooks are told of words that are new: the old ones. */
function changesOf(pull: Pull, edit: PullEdit): NonNullable<PullHappening['changes']> {
  const { title, body, base } = edit;
  return {
    ...(title === undefined || title === pull.title ? {} : { title: { from: pull.title } }),
    ...(body === undefined || body === pull.body ? {} : { body: { from: pull.body ?? '' } }),
    ...(base ? { base: { ref: { from: pull.base.ref }, sha: { from: pull.base.sha } } } : {}),
  };
}

async function newBase(
  ports: Ports,
  repository: Repository,
  pull: Pull,
  name: string | undefined,
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
  const git = ports.git.repository(repository.id);
  const size = await measurePull(git, tip.sha, pull.head.sha);
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

function maintainersChange(pull: Pull, wish: EditWish): boolean {
  return wish.maintainerCanModify !== undefined && pull.head.repositoryId !== pull.repositoryId;
}
