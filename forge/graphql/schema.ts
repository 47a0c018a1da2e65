/** What there is to ask for: each type with its fields, and what those are of; `leaf` has no fields of its own. */
export const schema: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Mutation: {
    markPullRequestReadyForReview: 'MarkPullRequestReadyForReviewPayload',
    convertPullRequestToDraft: 'ConvertPullRequestToDraftPayload',
  },
  MarkPullRequestReadyForReviewPayload: { clientMutationId: 'leaf', pullRequest: 'PullRequest' },
  ConvertPullRequestToDraftPayload: { clientMutationId: 'leaf', pullRequest: 'PullRequest' },
  PullRequest: {
    id: 'leaf',
    databaseId: 'leaf',
    number: 'leaf',
    url: 'leaf',
    title: 'leaf',
    body: 'leaf',
    state: 'leaf',
    isDraft: 'leaf',
    closed: 'leaf',
    merged: 'leaf',
    baseRefName: 'leaf',
    headRefName: 'leaf',
    headRefOid: 'leaf',
    createdAt: 'leaf',
    updatedAt: 'leaf',
  },
};

/** Interfaces a fragment may name in place of the type itself. */
export const interfaces: Readonly<Record<string, readonly string[]>> = {
  PullRequest: ['Node', 'Closable', 'Comment', 'UniformResourceLocatable'],
};

/** Told with every refusal of what is not there. */
export const supported =
  'The GraphQL API supports only the mutations markPullRequestReadyForReview and convertPullRequestToDraft. Use the REST API for everything else.';
