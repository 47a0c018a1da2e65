import { optionalObject } from '../engine/arguments.ts';
import type { Fields, Mutations, Resolver, Resolvers } from './context.ts';
import { gitMutations } from './git-mutations.ts';
import { issueMutations } from './issue-mutations.ts';
import { linkedBranchMutations } from './linked-branches.ts';
import { labelMutations } from './label-mutations.ts';
import { minimizeMutations } from './minimize-mutations.ts';
import { pullMutations } from './pull-mutations.ts';
import { reactionMutations } from './reaction-mutations.ts';
import { repositoryMutations } from './repository-mutations.ts';
import { revertMutations } from './revert-mutation.ts';
import { reviewMutations } from './review-mutations.ts';
import { starMutations } from './star-mutations.ts';

/** Every mutation takes one input and gives the client's own id of it back. */
function resolverOf(mutation: Mutations[string]): Resolver<unknown> {
  return async (_source, values, context) => {
    const input = optionalObject(values, 'input') ?? {};
    const payload = await mutation(input, context);
    return { clientMutationId: input['clientMutationId'] ?? null, ...payload };
  };
}

const mutationFields: Fields<unknown> = Object.fromEntries(
  Object.entries({
    ...pullMutations,
    ...reviewMutations,
    ...issueMutations,
    ...linkedBranchMutations,
    ...labelMutations,
    ...minimizeMutations,
    ...revertMutations,
    ...repositoryMutations,
    ...gitMutations,
    ...starMutations,
    ...reactionMutations,
  }).map(([name, mutation]) => [name, resolverOf(mutation)]),
);

export const mutationResolvers: Resolvers = { Mutation: mutationFields };
