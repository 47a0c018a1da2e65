/** A mutation takes one input and returns one payload, both of which have the client's own id of the mutation. */
function mutation(name: string, input: string, payload: string): { field: string; types: string } {
  const type = `${name[0]?.toUpperCase() ?? ''}${name.slice(1)}`;
  return {
    field: `${name}(input: ${type}Input!): ${type}Payload`,
    types: `input ${type}Input { clientMutationId: String ${input} }
type ${type}Payload { clientMutationId: String ${payload} }`,
  };
}

const pullOnly = 'pullRequestId: ID!';
const pullPayload = 'pullRequest: PullRequest';

const mutations = [
  mutation('convertPullRequestToDraft', pullOnly, pullPayload),
  mutation('markPullRequestReadyForReview', pullOnly, pullPayload),
];

export const mutationTypes = `
type Mutation {
${mutations.map(({ field }) => `  ${field}`).join('\n')}
}
${mutations.map(({ types }) => types).join('\n')}
`;
