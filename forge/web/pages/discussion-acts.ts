import type { Sql } from '#platform/database/database.ts';

import { RefusalError, notFound } from '../../errors/api-error.ts';
import { renderRefusal } from '../../errors/error-responses.ts';
import { refusalSentence } from '../../errors/error-message.ts';
import { refusalOfError } from '../../http/from-git-error.ts';
import { readPage } from '../../http/pagination.ts';
import { sessionCaller } from '../../auth/sessions/session.ts';
import { accountsById } from '../../accounts/account-store.ts';
import { commentsById } from '../../issues/comment-store.ts';
import { attributesOf } from '../../issues/issue-attributes.ts';
import { findIssue } from '../../issues/issue-store.ts';
import type { ThreadState } from '../../model/notification.ts';
import { changeThreadSubscription } from '../../notifications/change-thread-subscription.ts';
import { reviewCommentsById } from '../../review-comments/review-comment-store.ts';
import { reviewsById } from '../../reviews/review-store.ts';
import type { FormContext, RepositoryContext } from '../kit/web-context.ts';
import type { Perform } from '../kit/perform.ts';
import type { SignedIn } from '../kit/with-session.ts';
import type { RefusedForm } from '#web/page-form.ts';
import { shownField } from '../parts/discussion-side.ts';
import { pageQuery, readTextId, type TextKind } from '../parts/editable-text.ts';
import type { UploadedFile } from '#web/upload.ts';
import { seeOther, type WebResponse } from '#web/web-response.ts';
import { namesAfter, namesInJson, requireVersion } from './changed-since.ts';

export type ActContext = FormContext & SignedIn & RepositoryContext;

/** As above, of a form with files. */
export type UploadContext = ActContext & { readonly uploads: readonly UploadedFile[] };

/** Which issue or pull an act is about; `owner` and `repo` are parameters of every operation. */
export type Performed = Readonly<Record<'owner' | 'repo' | 'number', string>>;

/** Does what a form asks for, and returns the fragment that the page opens at. */
export type DiscussionAct = (context: ActContext, at: Performed) => Promise<string>;

/** By the last part of the URL of their forms. */
export type Acts = Readonly<Record<string, DiscussionAct>>;

/** What the pages of issues and pulls have in common. */
export function discussionActs(perform: Perform): Acts {
  const operation = (
    name: string,
    body: (form: URLSearchParams) => Record<string, unknown> = () => ({}),
  ): DiscussionAct => {
    return async (context, at) => {
      const parameters = { ...at, issue_number: at.number };
      await perform(context, name, parameters, body(context.form));
      return '';
    };
  };
  return {
    comment: async (context, at) => {
      const parameters = { ...at, issue_number: at.number };
      const body = { body: textOf(context.form, 'body') };
      const reply = await perform(context, 'issues/create-comment', parameters, body);
      return reply.kind === 'json' ? `#issuecomment-${numberIn(reply.body, 'id') ?? ''}` : '';
    },
    labels: async (context, at) => {
      const { form } = context;
      const present = (await presentAttributes(context)).labels;
      const chosen = [...form.getAll('labels'), ...namesOf(form.get('new_label'))];
      const labels = namesAfter(present, namesInJson(form.get('present')) ?? present, chosen);
      await perform(context, 'issues/set-labels', { ...at, issue_number: at.number }, { labels });
      return '';
    },
    assignees: async (context, at) => {
      const present = (await presentAttributes(context)).assignees;
      const shown = namesInJson(context.form.get(shownField('assignees'))) ?? present;
      const assignees = namesAfter(present, shown, namesOfField(context.form, 'assignees'));
      await perform(context, 'issues/update', { ...at, issue_number: at.number }, { assignees });
      return '';
    },
    milestone: operation('issues/update', (form) => {
      const text = form.get('milestone') ?? '';
      return { milestone: text === '' ? null : Number(text) };
    }),
    lock: operation('issues/lock', (form) => {
      const reason = form.get('lock_reason') ?? '';
      return reason === '' ? {} : { lock_reason: reason };
    }),
    unlock: operation('issues/unlock'),
    subscribe: async (context) => setSubscription(context, 'subscribed'),
    unsubscribe: async (context) => setSubscription(context, 'unsubscribed'),
    'edit-text': async (context, at) => {
      const target = context.form.get('target');
      const { kind, id } = readTextId(target) ?? notFound();
      const present = await presentText(context, kind, Number(id));
      if (present !== undefined) requireVersion(context, 'text_version', [target, present]);
      const parameters = { ...at, ...textParameters(kind, id, at) };
      await perform(context, editOperations[kind], parameters, {
        body: textOf(context.form, 'text'),
      });
      return `${pageQuery(readPage(context.query).number)}#${target}`;
    },
    'delete-text': async (context, at) => {
      const { kind, id } = readTextId(context.form.get('target')) ?? notFound();
      if (kind === 'review') return notFound();
      await perform(context, deleteOperations[kind], { ...at, comment_id: id });
      return '';
    },
  };
}

async function presentAttributes({ ports, repository, path }: ActContext): Promise<{
  readonly labels: readonly string[];
  readonly assignees: readonly string[];
}> {
  return ports.database.read(async (sql) => {
    const number = Number(path['number']);
    const { id } = (await findIssue(sql, repository.id, number)) ?? notFound();
    const { labels, assigneeIds } = await attributesOf(sql, [id]);
    const assignees = await accountsById(sql, assigneeIds.get(id) ?? []);
    return {
      labels: (labels.get(id) ?? []).map(({ name }) => name),
      assignees: [...assignees.values()].map(({ login }) => login),
    };
  });
}

/** The text as it is now; undefined where it is not there any more. */
async function presentText(
  { ports }: ActContext,
  kind: TextKind,
  id: number,
): Promise<string | undefined> {
  return ports.database.readOne(async (sql) => {
    const [found] = await textStores[kind](sql, [id]);
    return found?.body;
  });
}

type FindTexts = (
  sql: Sql,
  ids: readonly number[],
) => Promise<readonly { readonly body: string }[]>;

const textStores: Readonly<Record<TextKind, FindTexts>> = {
  issuecomment: commentsById,
  'review-comment': reviewCommentsById,
  review: reviewsById,
};

/** REST has no operation for it but by the id of a thread, which is not there before the first notification. */
async function setSubscription(context: ActContext, state: ThreadState): Promise<string> {
  const { ports, repository, session, path, now } = context;
  const issue = await ports.database.read((sql) =>
    findIssue(sql, repository.id, Number(path['number'])),
  );
  await changeThreadSubscription(ports, {
    caller: sessionCaller(session),
    repositoryId: repository.id,
    issueId: (issue ?? notFound()).id,
    state,
    now,
  });
  return '';
}

const editOperations: Readonly<Record<TextKind, string>> = {
  issuecomment: 'issues/update-comment',
  'review-comment': 'pulls/update-review-comment',
  review: 'pulls/update-review',
};

const deleteOperations: Readonly<Record<Exclude<TextKind, 'review'>, string>> = {
  issuecomment: 'issues/delete-comment',
  'review-comment': 'pulls/delete-review-comment',
};

function textParameters(kind: TextKind, id: string, { number }: Performed): Record<string, string> {
  return kind === 'review' ? { pull_number: number, review_id: id } : { comment_id: id };
}

/** Runs an act: back to the page, or the page with the form and why it was refused. */
export async function submitAct(
  context: ActContext,
  acts: Acts,
  page: {
    readonly pageUrl: string;
    readonly show: (refused: RefusedForm) => Promise<WebResponse>;
  },
): Promise<WebResponse> {
  const { repository, path } = context;
  const { number = '', act: name = '' } = path;
  const act = acts[name];
  if (!act || !/^[1-9]\d{0,14}$/.test(number)) return notFound();
  const at = { owner: repository.owner.login, repo: repository.name, number };
  return answerAct(
    context,
    (_, refused) => page.show(refused),
    async () => page.pageUrl + (await act(context, at)),
  );
}

/** A form that was sent, and the page that it is on. */
interface FormPage {
  readonly name: string;
  readonly form: URLSearchParams;
  readonly show: (refused: RefusedForm) => Promise<WebResponse>;
}

/** Leads where the act that the path names says, or shows the page with its form and why it was refused. */
export async function answerAct<C extends FormContext>(
  context: C,
  show: (context: C, refused: RefusedForm) => Promise<WebResponse>,
  act: (name: string) => Promise<string>,
): Promise<WebResponse> {
  const { form, path } = context;
  const name = path['act'] ?? '';
  return refusedAct({ name, form, show: (refused) => show(context, refused) }, async () =>
    seeOther(await act(name)),
  );
}

/** Answers with what an act returns, or shows the page with its form and why it was refused. */
export async function refusedAct(
  { name, form, show }: FormPage,
  act: (() => Promise<WebResponse>) | undefined,
): Promise<WebResponse> {
  if (!act) return notFound();
  try {
    return await act();
  } catch (error) {
    const refusal = error instanceof RefusalError ? error.refusal : refusalOfError(error);
    if (!refusal) throw error;
    const { status } = renderRefusal(refusal);
    // A reader who may see the page but not do this gets the reason; the API answers 404.
    const isHidden = refusal.kind === 'not-found';
    const problem = isHidden
      ? 'You may not do this, or it is not there any more.'
      : refusalSentence(refusal);
    return show({ act: name, problem, status: isHidden ? 403 : status, fields: form });
  }
}

/** Browsers send line ends as CR LF. */
export function textOf(form: URLSearchParams, field: string): string {
  return (form.get(field) ?? '').replaceAll('\r\n', '\n');
}

/** Undefined where nothing was filled in. */
export function filled(text: string | null): string | undefined {
  return text === null || text.trim() === '' ? undefined : text.replaceAll('\r\n', '\n');
}

export function namesOfField(form: URLSearchParams, field: string): string[] {
  return (form.get(field) ?? '').split(/[\s,]+/).filter((name) => name !== '');
}

function namesOf(text: string | null): string[] {
  return text === null || text.trim() === '' ? [] : [text.trim()];
}

/** A number in the body of a reply. */
export function numberIn(body: unknown, field: string): number | undefined {
  const found: unknown =
    typeof body === 'object' && body !== null ? Reflect.get(body, field) : undefined;
  return typeof found === 'number' ? found : undefined;
}

/** A text in the body of a reply. */
export function textIn(body: unknown, field: string): string | undefined {
  const found: unknown =
    typeof body === 'object' && body !== null ? Reflect.get(body, field) : undefined;
  return typeof found === 'string' ? found : undefined;
}

/** A form that no page has. */
export function unknownAct(): never {
  return notFound();
}
