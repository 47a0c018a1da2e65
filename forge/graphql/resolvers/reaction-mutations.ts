import type { Reaction, ReactionSubject } from '../../model/reaction.ts';
import { findOwnReaction } from '../../reactions/reaction-store.ts';
import { type Arguments, textArgument } from '../engine/arguments.ts';
import { failField } from '../engine/field-error.ts';
import type { GraphqlContext, Mutations, OperationCall } from './context.ts';
import { nodeOf } from './node-fields.ts';
import { contentNamed } from './reaction-fields.ts';
import type { NodeOf } from './sources.ts';

const types = [
  'Issue',
  'PullRequest',
  'IssueComment',
  'PullRequestReviewComment',
  'PullRequestReview',
] as const;

/** Reactions, by the operations of the REST API. */
export const reactionMutations: Mutations = {
  async addReaction(input, context) {
    const { id, content, target } = await readInput(input, context);
    const call = { ...target.call, body: { content } };
    await context.perform(`reactions/create-for-${target.name}`, call);
    const reaction = await ownReaction(target.subject, content, context);
    return payload(id, reaction, context);
  },
  async removeReaction(input, context) {
    const { id, content, target } = await readInput(input, context);
    const reaction = await ownReaction(target.subject, content, context);
    const call = { ...target.call, path: { ...target.call.path, reaction_id: reaction.id } };
    // The operation for lines has another name than the ones that list and create.
    const name = target.name.replace('pull-request-review', 'pull-request');
    await context.perform(`reactions/delete-for-${name}`, call);
    return payload(id, reaction, context);
  },
};

interface Target {
  /** In the names of operations. */
  readonly name: string;
  readonly call: OperationCall;
  readonly subject: ReactionSubject;
}

async function readInput(
  input: Arguments,
  context: GraphqlContext,
): Promise<{ id: string; content: Reaction['content']; target: Target }> {
  const id = textArgument(input, 'subjectId');
  const content =
    contentNamed(textArgument(input, 'content')) ?? failField('UNPROCESSABLE', 'No such content.');
  return { id, content, target: targetOf(await nodeOf(id, types, context)) };
}

function targetOf(found: NodeOf<(typeof types)[number]>): Target {
  const repositoryId = found.at.repository.id;
  switch (found.typeName) {
    case 'Issue':
    case 'PullRequest': {
      const { id, number } = found.typeName === 'Issue' ? found.issue : found.pull;
      const call = { repositoryId, path: { issue_number: number } };
      return { name: 'issue', call, subject: { kind: 'issue', id } };
    }
    case 'IssueComment': {
      const { id } = found.comment;
      const call = { repositoryId, path: { comment_id: id } };
      return { name: 'issue-comment', call, subject: { kind: 'issue_comment', id } };
    }
    case 'PullRequestReviewComment': {
      const { id } = found.comment;
      const call = { repositoryId, path: { comment_id: id } };
      const subject = { kind: 'review_comment', id } as const;
      return { name: 'pull-request-review-comment', call, subject };
    }
    case 'PullRequestReview':
      return failField('UNPROCESSABLE', 'Reviews cannot be reacted to: react to their comments.');
  }
}

async function ownReaction(
  subject: ReactionSubject,
  content: Reaction['content'],
  { ports, request }: GraphqlContext,
): Promise<Reaction> {
  const own = { accountId: request.caller.account.id, content };
  const found = await ports.database.readOne((sql) => findOwnReaction(sql, subject, own));
  return found ?? failField('NOT_FOUND', 'There is no such reaction of the viewer.');
}

async function payload(
  id: string,
  reaction: Reaction,
  context: GraphqlContext,
): Promise<Readonly<Record<string, unknown>>> {
  const subject = await nodeOf(id, types, context);
  return { subject, reaction: { reaction, reactable: subject } };
}
