import { notFound, refuse } from '../../errors/api-error.ts';
import { branchRef, parseBranchName } from '../../git/names.ts';
import { mergeMethods } from '../../pulls/merge-methods.ts';
import { disableAutoMerge, enableAutoMerge } from '../../pulls/operations/auto-merge.ts';
import { changeDraft } from '../../pulls/operations/change-draft.ts';
import { scheduleMergeabilityCheck } from '../../pulls/mergeability.ts';
import { setViewed } from '../../pulls/viewed-files.ts';
import { findPull } from '../../pulls/pull-store.ts';
import { requestedReviewers } from '../../reviews/review-request-store.ts';
import { accountsById } from '../../accounts/account-store.ts';
import { suggestionsAct } from '../parts/suggestion-view.ts';
import type { Perform } from '../kit/perform.ts';
import { fullName } from '../../model/repository.ts';
import type { WebResponse } from '#web/web-response.ts';
import {
  type DiscussionAct,
  type Acts,
  type ActContext,
  discussionActs,
  namesOfField,
  filled,
  type Performed,
  submitAct,
  textOf,
} from './discussion-acts.ts';
import { shownField } from '../parts/discussion-side.ts';
import { editedParts } from '../parts/pull-views.ts';
import { namesAfter, namesInJson, requireVersion } from './changed-since.ts';
import { showPull } from './pull.ts';
import {
  applyChosen,
  commentOnLine,
  currentPull,
  pendingReview,
  setResolved,
  submitReview,
} from './review-acts.ts';

/** Takes the forms of a pull's page. */
export function submitPullAct(acts: Acts): (context: ActContext) => Promise<WebResponse> {
  return async (context) => {
    const { urls, repository, path } = context;
    const pageUrl = urls.pullHtml(fullName(repository), Number(path['number']));
    return submitAct(context, acts, {
      pageUrl,
      show: (refused) => showPull(context, refused),
    });
  };
}

/** What the forms of a pull's page do, by the last part of their URL. Each returns the fragment that the page opens at. */
export function pullActs(perform: Perform): Acts {
  /** An operation on the pull. */
  const pullOperation = (
    operation: string,
    body: (form: URLSearchParams) => Record<string, unknown>,
    fragment = '',
  ): DiscussionAct => {
    return async (context, at) => {
      const { form } = context;
      await perform(context, operation, { ...at, pull_number: at.number }, body(form));
      return fragment;
    };
  };
  return {
    ...discussionActs(perform),
    merge: pullOperation('pulls/merge', (form) => ({
      merge_method: form.get('merge_method'),
      commit_title: filled(form.get('commit_title')),
      commit_message: filled(form.get('commit_message')),
      sha: form.get('sha'),
    })),
    'update-branch': pullOperation('pulls/update-branch', (form) => ({
      expected_head_sha: form.get('expected_head_sha'),
    })),
    'enable-auto-merge': startAutoMerge,
    'disable-auto-merge': stopAutoMerge,
    close: pullOperation('pulls/update', () => ({ state: 'closed' })),
    reopen: pullOperation('pulls/update', () => ({ state: 'open' })),
    edit: async (context, at) => {
      const { form } = context;
      const { pull } = await currentPull(context);
      requireVersion(context, 'version', editedParts(pull));
      const body = {
        title: form.get('title') ?? '',
        body: textOf(form, 'description'),
        ...(form.has('base') ? { base: form.get('base') } : {}),
      };
      await perform(context, 'pulls/update', { ...at, pull_number: at.number }, body);
      return '';
    },
    viewed: markViewed,
    draft: async (context) => setDraft(context, true),
    ready: async (context) => setDraft(context, false),
    review: async (context, at) => submitReview(perform, context, at),
    'discard-review': async (context, at) => {
      const { pull } = await currentPull(context);
      const review = (await pendingReview(context, pull)) ?? notFound();
      const parameters = { ...at, pull_number: at.number, review_id: String(review) };
      await perform(context, 'pulls/delete-pending-review', parameters);
      return '#review';
    },
    'line-comment': async (context, at) => commentOnLine(perform, context, at),
    reply: async (context, at) => {
      const { form } = context;
      const thread = form.get('thread') ?? '';
      const parameters = { ...at, pull_number: at.number, comment_id: thread };
      const body = { body: textOf(form, 'body') };
      await perform(context, 'pulls/create-reply-for-review-comment', parameters, body);
      return `#discussion_r${thread}`;
    },
    resolve: async (context) => setResolved(context, true),
    unresolve: async (context) => setResolved(context, false),
    [suggestionsAct]: async (context) => applyChosen(context),
    reviewers: async (context, at) => changeReviewers(perform, context, at),
    'delete-branch': async (context, at) => {
      const { pull } = await currentPull(context);
      const branch = parseBranchName(pull.head.ref);
      if (pull.head.repositoryId !== pull.repositoryId || !branch) return notFound();
      const tip = await context.git.readRef(branchRef(branch));
      if (tip && tip !== pull.head.sha) {
        // What the pull has stays in its own ref.
        const message = `${branch} has other commits than this pull request. Look at them, and delete it on the page of the branches.`;
        refuse({ kind: 'conflict', message });
      }
      await perform(context, 'git/delete-ref', { ...at, '*': `heads/${pull.head.ref}` });
      return '';
    },
  };
}

async function setDraft(context: ActContext, draft: boolean): Promise<string> {
  const { ports, now } = context;
  const { caller, access, pull } = await currentPull(context);
  const { repository } = access;
  await changeDraft(ports, { pull, repository, caller, draft, now });
  return '#merge';
}

/** Readers of the pull mark for themselves what they have seen. */
async function markViewed({
  ports,
  git,
  repository,
  session,
  path,
  form,
}: ActContext): Promise<string> {
  const found = await ports.database.read((sql) =>
    findPull(sql, repository.id, Number(path['number'])),
  );
  const viewed = form.has('view');
  const [, blobId = '', file = ''] =
    /^([0-9a-f]{40}):(.+)$/s.exec(form.get(viewed ? 'view' : 'unview') ?? '') ?? [];
  const accountId = session.account.id;
  await setViewed(ports, git, { accountId, pull: found ?? notFound(), path: file, blobId, viewed });
  return '#files';
}

/** GraphQL has operations for auto-merge, REST has none. */
async function startAutoMerge(context: ActContext): Promise<string> {
  const { ports, now, form } = context;
  const { caller, access, pull } = await currentPull(context);
  await enableAutoMerge(ports, {
    pull,
    repository: access.repository,
    caller,
    method:
      mergeMethods.find((name) => name === form.get('merge_method')) ??
      refuse({ kind: 'unprocessable', message: 'Choose how to merge.' }),
    title: filled(form.get('commit_title')) ?? null,
    message: filled(form.get('commit_message')) ?? null,
    expectedHead: form.get('sha') ?? undefined,
    now,
  });
  return '#merge';
}

async function stopAutoMerge(context: ActContext): Promise<string> {
  const { caller, access, pull } = await currentPull(context);
  await disableAutoMerge(context.ports, { pull, repository: access.repository, caller });
  return '#merge';
}

/** Asks those who are named and were not, and takes back what others were asked. */
async function changeReviewers(
  perform: Perform,
  context: ActContext,
  at: Performed,
): Promise<string> {
  const { form, ports } = context;
  const { pull } = await currentPull(context);
  const present = await ports.database.read(async (sql) => {
    const ids = (await requestedReviewers(sql, [pull.id])).get(pull.id) ?? [];
    return [...(await accountsById(sql, ids)).values()].map(({ login }) => login);
  });
  const shown = namesInJson(form.get(shownField('reviewers'))) ?? present;
  const wanted = namesAfter(present, shown, namesOfField(form, 'reviewers'));
  const parameters = { ...at, pull_number: at.number };
  const added = namesAfter([], present, wanted);
  const removed = namesAfter([], wanted, present);
  if (added.length > 0) {
    await perform(context, 'pulls/request-reviewers', parameters, { reviewers: added });
  }
  if (removed.length > 0) {
    await perform(context, 'pulls/remove-requested-reviewers', parameters, { reviewers: removed });
  }
  scheduleMergeabilityCheck(ports, pull.id);
  return '';
}
