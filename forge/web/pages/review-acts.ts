import { notFound, refuse } from '../../errors/api-error.ts';
import { zoneOffsetMinutes } from '../../http/time-zone.ts';
import type { UserCaller } from '../../model/caller.ts';
import type { Pull } from '../../model/pull.ts';
import { applySuggestions } from '../../pulls/operations/apply-suggestions.ts';
import { findPull } from '../../pulls/pull-store.ts';
import {
  authorizeRepository,
  loadRepository,
  mayComment,
  type RepositoryAccess,
} from '../../repositories/repository-access.ts';
import { addPendingComment } from '../../review-comments/pending-comment.ts';
import { mayResolve, resolveThread } from '../../review-comments/resolve-thread.ts';
import { reviewCommentsById } from '../../review-comments/review-comment-store.ts';
import { findPendingReview } from '../../reviews/review-store.ts';
import type { Perform } from '../kit/perform.ts';
import { type ActContext, filled, type Performed, textOf } from './discussion-acts.ts';
import { sessionCaller } from '../../auth/sessions/session.ts';

/** The pull, with what the caller may do in its repository: the rule of the API for changes by its readers. */
export async function currentPull({
  ports,
  repository,
  session,
  path,
}: ActContext): Promise<{ caller: UserCaller; access: RepositoryAccess; pull: Pull }> {
  const caller = sessionCaller(session);
  return ports.database.read(async (sql) => {
    const authorization = await authorizeRepository(sql, caller, { id: repository.id }, mayComment);
    const access = await loadRepository(sql, authorization);
    const pull = await findPull(sql, repository.id, Number(path['number']));
    return { caller, access, pull: pull ?? notFound() };
  });
}

export async function setResolved(context: ActContext, resolved: boolean): Promise<string> {
  const { ports, now, form } = context;
  const { caller, access, pull } = await currentPull(context);
  const id = Number(form.get('thread'));
  const [root] = Number.isSafeInteger(id)
    ? await ports.database.read((sql) => reviewCommentsById(sql, [id]))
    : [];
  if (root?.pullId !== pull.id || root.replyToId !== null) return notFound();
  await resolveThread(ports, { access, pull, rootId: root.id, caller, resolved, now });
  return `#discussion_r${root.id}`;
}

/** Commits suggestions to the head branch, and resolves their threads as far as the viewer may. */
export async function applyChosen(context: ActContext): Promise<string> {
  const { ports, now, form, session } = context;
  const { caller, access, pull } = await currentPull(context);
  const only = form.get('only');
  const chosen = (only === null ? form.getAll('suggestion') : [only]).map((text) => {
    const [, id, index, digest = ''] = /^([1-9]\d{0,14}):(\d{1,4}):([\da-f]{64})$/.exec(text) ?? [];
    return id === undefined ? notFound() : { commentId: Number(id), index: Number(index), digest };
  });
  const title = filled(form.get('commit_title'));
  const description = filled(form.get('commit_message'));
  const zone = session.account.timeZone ?? 'UTC';
  const threads = await applySuggestions(ports, {
    pull,
    caller,
    chosen,
    message: title === undefined ? description : [title, description].filter(Boolean).join('\n\n'),
    signingTime: { now, zoneOffset: (time) => zoneOffsetMinutes(zone, time) },
  });
  if (mayResolve(caller, pull, access.permission)) {
    for (const rootId of threads) {
      await resolveThread(ports, { access, pull, rootId, caller, resolved: true, now });
    }
  }
  return '#commits';
}

export async function pendingReview(
  { ports, session }: ActContext,
  pull: Pull,
): Promise<number | undefined> {
  const pending = await ports.database.read((sql) =>
    findPendingReview(sql, pull.id, session.account.id),
  );
  return pending?.id;
}

export async function submitReview(
  perform: Perform,
  context: ActContext,
  at: Performed,
): Promise<string> {
  const { form } = context;
  const { pull } = await currentPull(context);
  const pending = await pendingReview(context, pull);
  const body = { event: form.get('event'), body: textOf(form, 'body') };
  const parameters = { ...at, pull_number: at.number };
  if (pending === undefined) {
    const commit = { commit_id: form.get('commit_id') };
    await perform(context, 'pulls/create-review', parameters, { ...body, ...commit });
    return '#merge';
  }
  const review = { ...parameters, review_id: String(pending) };
  await perform(context, 'pulls/submit-review', review, body);
  return `#pullrequestreview-${pending}`;
}

export async function commentOnLine(
  perform: Perform,
  context: ActContext,
  at: Performed,
): Promise<string> {
  const { form, ports, now } = context;
  const line = Number(form.get('line'));
  const side = form.get('side') === 'LEFT' ? 'LEFT' : 'RIGHT';
  if (!Number.isSafeInteger(line) || line < 1) {
    return refuse({ kind: 'unprocessable', message: 'Choose a line of the diff.' });
  }
  const start = form.get('start_line')?.trim() ?? '';
  if (!/^(?:[1-9]\d{0,8})?$/.test(start)) {
    return refuse({ kind: 'unprocessable', message: 'The first line must be a number.' });
  }
  const comment = {
    path: form.get('path') ?? '',
    body: textOf(form, 'body'),
    line,
    side,
    ...(start !== '' && Number(start) !== line ? { start_line: Number(start) } : {}),
  } as const;
  const { caller, access, pull } = await currentPull(context);
  if (form.get('as') === 'comment') {
    const parameters = { ...at, pull_number: at.number };
    const body = { ...comment, commit_id: pull.head.sha };
    await perform(context, 'pulls/create-review-comment', parameters, body);
    return '#files';
  }
  await perform.countCreation(context);
  const id = await addPendingComment(ports, {
    access,
    pull,
    reviewId: undefined,
    caller,
    comment,
    now,
  });
  return `#discussion_r${id}`;
}
