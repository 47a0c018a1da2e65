import { type Arguments, optionalObject } from '../engine/arguments.ts';
import { type Fields, type GraphqlContext, type Resolver, type Resolvers } from './context.ts';
import { setDraft } from './draft-mutations.ts';

type Payload = Readonly<Record<string, unknown>>;

type Mutation = (input: Arguments, context: GraphqlContext) => Promise<Payload>;

const mutations: Readonly<Record<string, Mutation>> = {
  convertPullRequestToDraft: (input, context) => setDraft(input, true, context),
  markPullRequestReadyForReview: (input, context) => setDraft(input, false, context),
};

/** Every mutation takes one input and gives the client's own id of it back. */
function resolverOf(mutation: Mutation): Resolver<unknown> {
  return async (_source, values, context) => {
    const input = optionalObject(values, 'input') ?? {};
    const payload = await mutation(input, context);
    return { clientMutationId: input['clientMutationId'] ?? null, ...payload };
  };
}

const mutationFields: Fields<unknown> = Object.fromEntries(
  Object.entries(mutations).map(([name, mutation]) => [name, resolverOf(mutation)]),
);

export const mutationResolvers: Resolvers = { Mutation: mutationFields };
