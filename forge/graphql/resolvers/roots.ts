import { timestamp } from '../../json/json-values.ts';
import { nodeId } from '../../json/node-id.ts';
import { optionalBoolean, textArgument } from '../engine/arguments.ts';
import { accountResolvers, accountRoots } from './account-fields.ts';
import { accountListResolvers } from './account-lists.ts';
import { checkResolvers } from './check-fields.ts';
import { commitResolvers } from './commit-fields.ts';
import { always, type Fields, type GraphqlContext, type Resolvers } from './context.ts';
import { gitResolvers } from './git-fields.ts';
import { issueResolvers } from './issue-fields.ts';
import { linkedBranchResolvers } from './linked-branches.ts';
import { nodeRoots } from './node-fields.ts';
import { pinnedResolvers } from './pinned-fields.ts';
import { projectResolvers } from './project-fields.ts';
import { pullConnectionResolvers } from './pull-connections.ts';
import { pullResolvers } from './pull-fields.ts';
import { releaseResolvers } from './release-fields.ts';
import { repositoryOfOwner } from './repository-connections.ts';
import { repositoryResolvers } from './repository-fields.ts';
import { reactionResolvers } from './reaction-fields.ts';
import { starResolvers } from './star-fields.ts';
import { searchResolvers, searchRoots } from './search-fields.ts';
import { signatureResolvers } from './signature-fields.ts';
import { timelineResolvers } from './timeline-fields.ts';
import { reviewResolvers } from './thread-fields.ts';

const queryFields: Fields<unknown> = {
  id: always(nodeId('Query', 0)),
  relay: always({}),
  rateLimit: (_source, _values, context) => context,
  repository: (_source, values, context) =>
    repositoryOfOwner(textArgument(values, 'owner'), textArgument(values, 'name'), context, {
      followRenames: optionalBoolean(values, 'followRenames') ?? true,
    }),
  ...accountRoots,
  ...nodeRoots,
  ...searchRoots,
};

const rateLimitFields: Fields<GraphqlContext> = {
  cost: ({ cost }) => cost.points,
  nodeCount: ({ cost }) => cost.nodes,
  limit: ({ request }) => request.rate.limit,
  used: ({ request }) => request.rate.used,
  remaining: ({ request }) => request.rate.limit - request.rate.used,
  resetAt: ({ request }) => timestamp(request.rate.reset * 1000),
};

/** The resolvers of all types; a type whose fields several files resolve is the sum of their parts. */
export function allResolvers(...more: readonly Resolvers[]): Resolvers {
  const parts: readonly Resolvers[] = [
    { Query: queryFields, RateLimit: rateLimitFields },
    accountResolvers,
    accountListResolvers,
    repositoryResolvers,
    starResolvers,
    reactionResolvers,
    commitResolvers,
    signatureResolvers,
    gitResolvers,
    checkResolvers,
    issueResolvers,
    pinnedResolvers,
    linkedBranchResolvers,
    projectResolvers,
    pullConnectionResolvers,
    pullResolvers,
    reviewResolvers,
    timelineResolvers,
    searchResolvers,
    releaseResolvers,
    ...more,
  ];
  const merged: Record<string, Fields<never>> = {};
  for (const part of parts) {
    for (const [type, fields] of Object.entries(part))
      merged[type] = { ...merged[type], ...fields };
  }
  return merged;
}
