import { threadStates } from '../../model/notification.ts';
import { changeThreadSubscription } from '../../notifications/change-thread-subscription.ts';
import { textArgument } from '../engine/arguments.ts';
import type { GraphqlContext, Mutations } from './context.ts';
import { nodeOf } from './node-fields.ts';
import type { AccountSource, RepositorySource } from './sources.ts';

/** Issues and pulls have no operation of REST by which a user subscribes to them. */
const subscribable = ['Repository', 'Issue', 'PullRequest'] as const;

/** Stars, subscriptions and followers, by the operations of the REST API. */
export const starMutations: Mutations = {
  addStar: (input, context) =>
    star(textArgument(input, 'starrableId'), 'activity/star-repo-for-authenticated-user', context),
  removeStar: (input, context) =>
    star(
      textArgument(input, 'starrableId'),
      'activity/unstar-repo-for-authenticated-user',
      context,
    ),
  async updateSubscription(input, context) {
    const id = textArgument(input, 'subscribableId');
    const state = textArgument(input, 'state');
    const source = await nodeOf(id, subscribable, context);
    if (source.typeName === 'Repository') {
      const body = { subscribed: state === 'SUBSCRIBED', ignored: state === 'IGNORED' };
      const call = { repositoryId: source.repository.id, body };
      await context.perform('activity/set-repo-subscription', call);
    } else {
      const { caller, now } = context.request;
      await changeThreadSubscription(context.ports, {
        caller,
        repositoryId: source.at.repository.id,
        issueId: source.typeName === 'Issue' ? source.issue.id : source.pull.id,
        state: threadStates.find((each) => each.toUpperCase() === state) ?? 'unsubscribed',
        now,
      });
      context.forget();
    }
    return { subscribable: await nodeOf(id, subscribable, context) };
  },
  followUser: (input, context) => follow(textArgument(input, 'userId'), 'users/follow', context),
  unfollowUser: (input, context) =>
    follow(textArgument(input, 'userId'), 'users/unfollow', context),
};

async function star(
  id: string,
  operation: string,
  context: GraphqlContext,
): Promise<{ starrable: RepositorySource }> {
  const { repository } = await nodeOf(id, ['Repository'], context);
  const path = { owner: repository.owner.login, repo: repository.name };
  await context.perform(operation, { path });
  return { starrable: await nodeOf(id, ['Repository'], context) };
}

async function follow(
  id: string,
  operation: string,
  context: GraphqlContext,
): Promise<{ user: AccountSource }> {
  const { account } = await nodeOf(id, ['User'], context);
  await context.perform(operation, { path: { username: account.login } });
  return { user: await nodeOf(id, ['User'], context) };
}
