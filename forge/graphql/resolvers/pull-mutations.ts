import { present } from '#platform/present.ts';

import { refuse } from '../../errors/api-error.ts';
import type { MergeMethod } from '../../pulls/merge-methods.ts';
import { disableAutoMerge, enableAutoMerge } from '../../pulls/operations/auto-merge.ts';
import { changeDraft } from '../../pulls/operations/change-draft.ts';
import { mayEdit } from '../../pulls/operations/edit-pull.ts';
import { createPullBody, editPullBody } from '../../pulls/pull-input.ts';
import { fullName } from '../../model/repository.ts';
import { setViewed } from '../../pulls/viewed-files.ts';
import {
  type Arguments,
  optionalBoolean,
  optionalText,
  optionalTexts,
  textArgument,
} from '../engine/arguments.ts';
import { failField } from '../engine/field-error.ts';
import { attributesInput, given, givenFields, logins } from './attribute-inputs.ts';
import type { GraphqlContext, Mutations } from './context.ts';
import { inGit } from './git-objects.ts';
import { idOfCreated, nodeOf, nodesOf } from './node-fields.ts';
import { accountSource, type AccountSource, type PullSource } from './sources.ts';

type Payload = { readonly actor: AccountSource; readonly pullRequest: PullSource };

function pullOf(input: Arguments, context: GraphqlContext): Promise<PullSource> {
  return nodeOf(textArgument(input, 'pullRequestId'), ['PullRequest'], context);
}

/** For the caller alone: others do not see it. */
async function view(
  input: Arguments,
  viewed: boolean,
  context: GraphqlContext,
): Promise<{ pullRequest: PullSource }> {
  const { at, pull } = await pullOf(input, context);
  await context.enter(at.repository.id);
  const { account } = context.request.caller;
  const seen = {
    accountId: account.id,
    pull,
    path: textArgument(input, 'path'),
    blobId: undefined,
    viewed,
  };
  await inGit(at, context, (git) => setViewed(context.ports, git, seen));
  context.forget();
  return { pullRequest: await pullOf(input, context) };
}

/** Runs an operation on the pull of an input, and shows what it is then. */
async function change(
  operation: string,
  input: Arguments,
  body: Readonly<Record<string, unknown>>,
  context: GraphqlContext,
): Promise<Payload> {
  const { at, pull } = await pullOf(input, context);
  await context.perform(operation, {
    repositoryId: at.repository.id,
    path: { pull_number: pull.number },
    body,
  });
  return { actor: callerSource(context), pullRequest: await pullOf(input, context) };
}

export function callerSource({ request }: GraphqlContext): AccountSource {
  return accountSource(request.caller.account);
}

export const pullMutations: Mutations = {
  markFileAsViewed: (input, context) => view(input, true, context),
  unmarkFileAsViewed: (input, context) => view(input, false, context),
  async createPullRequest(input, context) {
    const at = await nodeOf(textArgument(input, 'repositoryId'), ['Repository'], context);
    const headId = optionalText(input, 'headRepositoryId');
    const head = headId === undefined ? undefined : await nodeOf(headId, ['Repository'], context);
    const created = await context.perform('pulls/create', {
      repositoryId: at.repository.id,
      body: {
        ...givenFields(input, createPullBody),
        base: textArgument(input, 'baseRefName'),
        head: textArgument(input, 'headRefName'),
        ...(head ? { head_repo: fullName(head.repository) } : {}),
      },
    });
    return { pullRequest: await nodeOf(idOfCreated(created), ['PullRequest'], context) };
  },
  async updatePullRequest(input, context) {
    const { at, pull } = await pullOf(input, context);
    const repository = { repositoryId: at.repository.id };
    const body = present({
      ...givenFields(input, editPullBody),
      ...given(input, { baseRefName: 'base' }),
      state: optionalText(input, 'state')?.toLowerCase(),
    });
    const attributes = await attributesInput(input, at, context);
    // First what needs the greater permission: nothing is changed if it is refused.
    if (Object.keys(attributes).length > 0) {
      const path = { issue_number: pull.number };
      await context.perform('issues/update', { ...repository, path, body: attributes });
    }
    if (Object.keys(body).length > 0) {
      await context.perform('pulls/update', {
        ...repository,
        path: { pull_number: pull.number },
        body,
      });
    }
    return { actor: callerSource(context), pullRequest: await pullOf(input, context) };
  },
  closePullRequest: (input, context) => change('pulls/update', input, { state: 'closed' }, context),
  reopenPullRequest: (input, context) => change('pulls/update', input, { state: 'open' }, context),
  mergePullRequest: (input, context) => {
    const method = optionalText(input, 'mergeMethod')?.toLowerCase();
    const body = {
      ...given(input, {
        commitHeadline: 'commit_title',
        commitBody: 'commit_message',
        expectedHeadOid: 'sha',
      }),
      merge_method: method ?? 'merge',
    };
    return change('pulls/merge', input, body, context);
  },
  enablePullRequestAutoMerge: (input, context) => setAutoMerge(input, true, context),
  disablePullRequestAutoMerge: (input, context) => setAutoMerge(input, false, context),
  enqueuePullRequest: (input, context) =>
    refuseQueue(textArgument(input, 'pullRequestId'), noQueue, context),
  dequeuePullRequest: (input, context) =>
    refuseQueue(textArgument(input, 'id'), notQueued, context),
  updatePullRequestBranch: (input, context) => {
    if (optionalText(input, 'updateMethod') === 'REBASE') {
      failField('UNPROCESSABLE', 'Branches of pull requests can only be updated by a merge.');
    }
    const body = given(input, { expectedHeadOid: 'expected_head_sha' });
    return change('pulls/update-branch', input, body, context);
  },
  requestReviews,
  convertPullRequestToDraft: (input, context) => setDraft(input, true, context),
  markPullRequestReadyForReview: (input, context) => setDraft(input, false, context),
};

const noQueue = 'The base branch of the pull request does not have a merge queue.';
const notQueued = 'The pull request is not in a merge queue.';

/** No branch has a merge queue here. A caller who may not merge the pull gets the answer of a merge. */
async function refuseQueue(id: string, message: string, context: GraphqlContext): Promise<never> {
  const { at, pull } = await nodeOf(id, ['PullRequest'], context);
  const about = { pull_number: String(pull.number) };
  await context.access({ id: at.repository.id }, 'pulls/merge', about);
  return failField('UNPROCESSABLE', message);
}

/** Without `union`, those who are not named any more are not asked any more. */
async function requestReviews(input: Arguments, context: GraphqlContext): Promise<Payload> {
  const { at, pull } = await pullOf(input, context);
  const users = await logins(optionalTexts(input, 'userIds') ?? [], context);
  const teams = await nodesOf(optionalTexts(input, 'teamIds') ?? [], ['Team'], context);
  const foreign = teams.findIndex(({ team }) => team.organization.id !== at.repository.owner.id);
  if (foreign !== -1) {
    const id = optionalTexts(input, 'teamIds')?.[foreign] ?? '';
    failField('NOT_FOUND', `Could not resolve to a node with the global id of '${id}'`);
  }
  const slugs = teams.map(({ team }) => team.slug);
  const call = { repositoryId: at.repository.id, path: { pull_number: pull.number } };
  // Requests first: if they are refused, no request is removed.
  if (users.length + slugs.length > 0) {
    const body = { reviewers: users, team_reviewers: slugs };
    await context.perform('pulls/request-reviewers', { ...call, body });
  }
  if (optionalBoolean(input, 'union') !== true) {
    const [ids, asked] = await Promise.all([
      context.loaders.reviewersOf(pull.id),
      context.loaders.teamsOf(pull.id),
    ]);
    const accounts = await Promise.all(ids.map((id) => context.loaders.account(id)));
    const reviewers = accounts
      .flatMap((each) => each?.account.login ?? [])
      .filter((login) => !users.includes(login));
    const others = asked.map(({ slug }) => slug).filter((slug) => !slugs.includes(slug));
    if (reviewers.length + others.length > 0) {
      const body = { reviewers, team_reviewers: others };
      await context.perform('pulls/remove-requested-reviewers', { ...call, body });
    }
  }
  return { actor: callerSource(context), pullRequest: await pullOf(input, context) };
}

/** REST has no operation for it. Its rules are those of a merge. */
async function setAutoMerge(
  input: Arguments,
  enabled: boolean,
  context: GraphqlContext,
): Promise<Payload> {
  const { at, pull } = await pullOf(input, context);
  const { ports, request } = context;
  const { caller, now } = request;
  if (enabled) {
    const { repository } = await context.access({ id: at.repository.id }, 'pulls/merge');
    await enableAutoMerge(ports, {
      pull,
      repository,
      caller,
      method: methods[optionalText(input, 'mergeMethod') ?? 'MERGE'] ?? 'merge',
      title: optionalText(input, 'commitHeadline') ?? null,
      message: optionalText(input, 'commitBody') ?? null,
      expectedHead: optionalText(input, 'expectedHeadOid'),
      now,
    });
  } else {
    const { repository } = await context.enter(at.repository.id);
    await disableAutoMerge(ports, { pull, repository, caller });
  }
  context.forget();
  return { actor: callerSource(context), pullRequest: await pullOf(input, context) };
}

const methods: Readonly<Record<string, MergeMethod>> = {
  MERGE: 'merge',
  SQUASH: 'squash',
  REBASE: 'rebase',
};

/** REST has no operation for drafts, so their access rule is here. */
async function setDraft(
  input: Arguments,
  draft: boolean,
  context: GraphqlContext,
): Promise<{ readonly pullRequest: PullSource }> {
  const found = await pullOf(input, context);
  const { ports, request } = context;
  const { caller, now } = request;
  const { repository } = await context.enter(found.at.repository.id);
  const allowed = await ports.database.read((sql) => mayEdit(sql, caller, repository, found.pull));
  if (!allowed) {
    const message = `${caller.account.login} does not have permission to change this pull request.`;
    refuse({ kind: 'forbidden', message });
  }
  const { pull } = found;
  const changed = await changeDraft(ports, { pull, repository, caller, draft, now });
  return { pullRequest: { ...found, pull: changed } };
}
