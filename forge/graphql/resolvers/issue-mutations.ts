import {
  type Arguments,
  optionalBoolean,
  optionalText,
  optionalTexts,
  textArgument,
} from '../engine/arguments.ts';
import { deleteIssue } from '../../issues/delete-issue.ts';
import { transferIssue } from '../../issues/transfer-issue.ts';
import { pinIssue } from '../../issues/pin-issue.ts';
import { attributesInput, given, logins } from './attribute-inputs.ts';
import type { GraphqlContext, Mutations, OperationCall } from './context.ts';
import { idOfCreated, nodeOf } from './node-fields.ts';
import { callerSource } from './pull-mutations.ts';
import type { IssueSource, PullSource } from './sources.ts';

/** Where the operations of REST on an issue or a pull are. */
function callOn(
  source: IssueSource | PullSource,
): OperationCall & { readonly repositoryId: number } {
  const { number } = source.typeName === 'Issue' ? source.issue : source.pull;
  return { repositoryId: source.at.repository.id, path: { issue_number: number } };
}

export function discussionOf(
  id: string,
  context: GraphqlContext,
): Promise<IssueSource | PullSource> {
  return nodeOf(id, ['Issue', 'PullRequest'], context);
}

async function changeIssue(
  id: string,
  body: Readonly<Record<string, unknown>>,
  context: GraphqlContext,
): Promise<{ issue: IssueSource }> {
  const issue = await nodeOf(id, ['Issue'], context);
  await context.perform('issues/update', { ...callOn(issue), body });
  return { issue: await nodeOf(id, ['Issue'], context) };
}

export const issueMutations: Mutations = {
  async createIssue(input, context) {
    const at = await nodeOf(textArgument(input, 'repositoryId'), ['Repository'], context);
    const created = await context.perform('issues/create', {
      repositoryId: at.repository.id,
      body: { ...given(input, texts), ...(await attributesInput(input, at, context)) },
    });
    return { issue: await nodeOf(idOfCreated(created), ['Issue'], context) };
  },
  async updateIssue(input, context) {
    const state = optionalText(input, 'state')?.toLowerCase();
    const { at } = await nodeOf(textArgument(input, 'id'), ['Issue'], context);
    const body = {
      ...given(input, texts),
      ...(state === undefined ? {} : { state }),
      ...(await attributesInput(input, at, context)),
    };
    return {
      actor: callerSource(context),
      ...(await changeIssue(textArgument(input, 'id'), body, context)),
    };
  },
  closeIssue: (input, context) => {
    const reason = optionalText(input, 'stateReason')?.toLowerCase();
    const body = { state: 'closed', ...(reason === undefined ? {} : { state_reason: reason }) };
    return changeIssue(textArgument(input, 'issueId'), body, context);
  },
  reopenIssue: (input, context) =>
    changeIssue(textArgument(input, 'issueId'), { state: 'open' }, context),
  async deleteIssue(input, context) {
    const { at, issue } = await nodeOf(textArgument(input, 'issueId'), ['Issue'], context);
    const { id: repositoryId } = at.repository;
    await requireLockAccess(repositoryId, issue.number, context);
    const { caller, now } = context.request;
    await deleteIssue(context.ports, { repositoryId, issueId: issue.id, caller, now });
    context.forget();
    return { repository: at };
  },
  async transferIssue(input, context) {
    const id = textArgument(input, 'issueId');
    const { at, issue } = await nodeOf(id, ['Issue'], context);
    const { repository } = await nodeOf(
      textArgument(input, 'repositoryId'),
      ['Repository'],
      context,
    );
    const about = { issue_number: String(issue.number) };
    const { id: fromId } = at.repository;
    // What tokens and installations need for it; the verb decides the rest.
    await context.access({ id: fromId }, 'issues/update', about);
    await context.access({ id: repository.id }, 'issues/create');
    const { caller, now } = context.request;
    const createLabels = optionalBoolean(input, 'createLabelsIfMissing') ?? false;
    await transferIssue(context.ports, {
      issueId: issue.id,
      fromId,
      toId: repository.id,
      createLabels,
      caller,
      now,
    });
    context.forget();
    return { issue: await nodeOf(id, ['Issue'], context) };
  },
  pinIssue: (input, context) => pin(textArgument(input, 'issueId'), true, context),
  async unpinIssue(input, context) {
    const id = textArgument(input, 'issueId');
    return { id, ...(await pin(id, false, context)) };
  },
  async addComment(input, context) {
    const id = textArgument(input, 'subjectId');
    const call = callOn(await discussionOf(id, context));
    const created = await context.perform('issues/create-comment', {
      ...call,
      body: { body: textArgument(input, 'body') },
    });
    const node = await nodeOf(idOfCreated(created), ['IssueComment'], context);
    const key = { by: node.comment.id, tie: node.comment.id };
    return { commentEdge: { node, key }, subject: await discussionOf(id, context) };
  },
  async updateIssueComment(input, context) {
    const id = textArgument(input, 'id');
    const { at, comment } = await nodeOf(id, ['IssueComment'], context);
    await context.perform('issues/update-comment', {
      repositoryId: at.repository.id,
      path: { comment_id: comment.id },
      body: { body: textArgument(input, 'body') },
    });
    return { issueComment: await nodeOf(id, ['IssueComment'], context) };
  },
  async deleteIssueComment(input, context) {
    const { at, comment } = await nodeOf(textArgument(input, 'id'), ['IssueComment'], context);
    await context.perform('issues/delete-comment', {
      repositoryId: at.repository.id,
      path: { comment_id: comment.id },
    });
    return {};
  },
  addAssigneesToAssignable: (input, context) => assign('issues/add-assignees', input, context),
  removeAssigneesFromAssignable: (input, context) =>
    assign('issues/remove-assignees', input, context),
  async lockLockable(input, context) {
    const id = textArgument(input, 'lockableId');
    const reason = optionalText(input, 'lockReason');
    const body = reason === undefined ? {} : { lock_reason: lockReasons[reason] };
    await context.perform('issues/lock', { ...callOn(await discussionOf(id, context)), body });
    return { actor: callerSource(context), lockedRecord: await discussionOf(id, context) };
  },
  async unlockLockable(input, context) {
    const id = textArgument(input, 'lockableId');
    await context.perform('issues/unlock', callOn(await discussionOf(id, context)));
    return { actor: callerSource(context), unlockedRecord: await discussionOf(id, context) };
  },
};

/** Users need push access, as for the lock of a conversation. */
async function requireLockAccess(
  repositoryId: number,
  number: number,
  { access }: GraphqlContext,
): Promise<void> {
  await access({ id: repositoryId }, 'issues/lock', { issue_number: String(number) });
}

async function pin(
  id: string,
  pinned: boolean,
  context: GraphqlContext,
): Promise<{ issue: IssueSource }> {
  const { at, issue } = await nodeOf(id, ['Issue'], context);
  const { id: repositoryId } = at.repository;
  await requireLockAccess(repositoryId, issue.number, context);
  const { caller, now } = context.request;
  await pinIssue(context.ports, { repositoryId, issueId: issue.id, pinned, caller, now });
  context.forget();
  return { issue: await nodeOf(id, ['Issue'], context) };
}

const texts = { title: 'title', body: 'body' };

const lockReasons: Readonly<Record<string, string>> = {
  OFF_TOPIC: 'off-topic',
  TOO_HEATED: 'too heated',
  RESOLVED: 'resolved',
  SPAM: 'spam',
};

async function assign(
  operation: string,
  input: Arguments,
  context: GraphqlContext,
): Promise<{ assignable: IssueSource | PullSource }> {
  const id = textArgument(input, 'assignableId');
  const assignees = await logins(optionalTexts(input, 'assigneeIds') ?? [], context);
  const call = callOn(await discussionOf(id, context));
  await context.perform(operation, { ...call, body: { assignees } });
  return { assignable: await discussionOf(id, context) };
}
