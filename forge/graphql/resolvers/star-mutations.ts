import { text } from '../engine/arguments.ts';
import type { GraphqlContext, Mutations } from './context.ts';
import { nodeOf } from './node-fields.ts';
import type { AccountSource, RepositorySource } from './sources.ts';

/** Stars, subscriptions and followers, by the operations of the REST API. */
export const starMutations: Mutations = {
  addStar: (input, context) =>
    star(text(input, 'starrableId'), 'activity/star-repo-for-authenticated-user', context),
  removeStar: (input, context) =>
    star(text(input, 'starrableId'), 'activity/unstar-repo-for-authenticated-user', context),
  async updateSubscription(input, context) {
    const id = text(input, 'subscribableId');
    const state = text(input, 'state');
    const { repository } = await nodeOf(id, ['Repository'], context);
    const body = { subscribed: state === 'SUBSCRIBED', ignored: state === 'IGNORED' };
    const call = { repositoryId: repository.id, body };
    await context.perform('activity/set-repo-subscription', call);
    return { subscribable: await nodeOf(id, ['Repository'], context) };
  },
  followUser: (input, context) => follow(text(input, 'userId'), 'users/follow', context),
  unfollowUser: (input, context) => follow(text(input, 'userId'), 'users/unfollow', context),
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
