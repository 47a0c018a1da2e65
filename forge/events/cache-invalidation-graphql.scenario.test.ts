import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { mutationResolvers } from '../graphql/resolvers/mutations.ts';
import { nodeId } from '../json/node-id.ts';
import { ResponseSweep, type Write } from '../testing/response-sweep.ts';
import type { TestResponse, TestUser } from '../testing/test-forge.ts';

/** Without merge queues, these are always refused. */
const refusing: ReadonlySet<string> = new Set(['enqueuePullRequest', 'dequeuePullRequest']);

describe('a response from the cache is the one that would be made after a mutation', () => {
  let sweep: ResponseSweep;

  before(async () => {
    sweep = await ResponseSweep.open();
  });
  after(() => sweep.close());

  const at = (path: string): string => sweep.at(path);

  interface Mutation {
    readonly input: () => object | Promise<object>;
    readonly by?: () => TestUser;
    readonly selection?: string;
    /** What later mutations need of the payload. */
    // oxlint-disable-next-line typescript/no-explicit-any -- tests reach into answers of every shape
    readonly remember?: (payload: any) => void;
    readonly unseen?: 'rows';
  }

  function* writes(): Generator<Write> {
    const made: Record<string, string> = {};
    const owner = (): TestUser => sweep.owner;
    const mate = (): TestUser => sweep.mate;
    const idAt = async (path: string): Promise<string> =>
      (await sweep.owner.get(at(path))).body.node_id;
    const repositoryId = (): Promise<string> => idAt('');
    const pullRequestId = (): Promise<string> => idAt('/pulls/1');
    const issueId = (): Promise<string> => idAt('/issues/2');
    const userId = (user: () => TestUser): string => nodeId('User', user().account.id);
    const head = (): string => sweep.value('sha');
    const keep = (name: string) => (payload: Record<string, { id: string }>) => {
      made[name] = Object.values(payload).find((value) => typeof value === 'object')?.id ?? '';
    };
    const ofPull = { input: async () => ({ pullRequestId: await pullRequestId() }) };
    const ofSecond = { input: () => ({ pullRequestId: made['pull'] }) };
    const line = { path: 'a.txt', line: 1, side: 'RIGHT', body: 'L' };

    const mutations: readonly (readonly [name: string, mutation: Mutation])[] = [
      [
        'createPullRequest',
        {
          input: async () => ({
            repositoryId: await repositoryId(),
            baseRefName: 'main',
            headRefName: 'side',
            title: 'Second',
          }),
          selection: 'pullRequest { id }',
          remember: keep('pull'),
        },
      ],
      ['convertPullRequestToDraft', ofSecond],
      ['markPullRequestReadyForReview', ofSecond],
      [
        'markFileAsViewed',
        { input: () => ({ pullRequestId: made['pull'], path: 'c.txt' }), unseen: 'rows' },
      ],
      [
        'unmarkFileAsViewed',
        { input: () => ({ pullRequestId: made['pull'], path: 'c.txt' }), unseen: 'rows' },
      ],
      ['updatePullRequest', { input: () => ({ pullRequestId: made['pull'], title: 'Renamed' }) }],
      ['closePullRequest', ofSecond],
      ['reopenPullRequest', ofSecond],
      [
        'requestReviews',
        {
          input: async () => ({ pullRequestId: await pullRequestId(), userIds: [userId(mate)] }),
        },
      ],
      [
        'addPullRequestReview',
        {
          input: async () => ({ pullRequestId: await pullRequestId(), body: 'D' }),
          by: mate,
          selection: 'pullRequestReview { id }',
          remember: keep('review'),
        },
      ],
      [
        'updatePullRequestReview',
        { input: () => ({ pullRequestReviewId: made['review'], body: 'E' }), by: mate },
      ],
      [
        'addPullRequestReviewThread',
        {
          input: () => ({ ...line, pullRequestReviewId: made['review'] }),
          by: mate,
          selection: 'thread { id }',
          remember: keep('thread'),
        },
      ],
      [
        'submitPullRequestReview',
        {
          input: () => ({ pullRequestReviewId: made['review'], event: 'REQUEST_CHANGES' }),
          by: mate,
        },
      ],
      [
        'dismissPullRequestReview',
        { input: () => ({ pullRequestReviewId: made['review'], message: 'No' }) },
      ],
      [
        'addPullRequestReviewThreadReply',
        {
          input: () => ({ pullRequestReviewThreadId: made['thread'], body: 'R' }),
          selection: 'comment { id }',
          remember: keep('reply'),
        },
      ],
      [
        'addPullRequestReviewComment',
        { input: () => ({ inReplyTo: made['reply'], body: 'T' }), selection: 'comment { id }' },
      ],
      [
        'updatePullRequestReviewComment',
        { input: () => ({ pullRequestReviewCommentId: made['reply'], body: 'S' }) },
      ],
      ['resolveReviewThread', { input: () => ({ threadId: made['thread'] }) }],
      ['unresolveReviewThread', { input: () => ({ threadId: made['thread'] }) }],
      [
        'deletePullRequestReview',
        {
          input: async () => {
            const { body } = await mate().post(at('/pulls/1/reviews'), { body: 'Never mind' });
            await sweep.warm();
            return { pullRequestReviewId: body.node_id };
          },
          by: mate,
        },
      ],
      [
        'createIssue',
        {
          input: async () => ({ repositoryId: await repositoryId(), title: 'Third' }),
          selection: 'issue { id }',
          remember: keep('issue'),
        },
      ],
      [
        'transferIssue',
        {
          input: async () => {
            const { body } = await owner().post('/orgs/acme/repos', { name: 'target' });
            const issue = await owner().post(at('/issues'), { title: 'To go' });
            await sweep.warm();
            return { issueId: issue.body.node_id, repositoryId: body.node_id };
          },
        },
      ],
      [
        'createLinkedBranch',
        {
          input: () => ({ issueId: made['issue'], oid: head(), name: 'for-third' }),
          selection: 'linkedBranch { id }',
          remember: keep('link'),
        },
      ],
      ['deleteLinkedBranch', { input: () => ({ linkedBranchId: made['link'] }) }],
      ['deleteIssue', { input: () => ({ issueId: made['issue'] }) }],
      ['updateIssue', { input: async () => ({ id: await issueId(), title: 'Renamed' }) }],
      ['pinIssue', { input: async () => ({ issueId: await issueId() }) }],
      ['unpinIssue', { input: async () => ({ issueId: await issueId() }) }],
      ['closeIssue', { input: async () => ({ issueId: await issueId() }) }],
      ['reopenIssue', { input: async () => ({ issueId: await issueId() }) }],
      [
        'addComment',
        {
          input: async () => ({ subjectId: await issueId(), body: 'C' }),
          selection: 'commentEdge { node { id } }',
          remember: ({ commentEdge }) => {
            made['comment'] = commentEdge.node.id;
          },
        },
      ],
      ['updateIssueComment', { input: () => ({ id: made['comment'], body: 'D' }) }],
      [
        'minimizeComment',
        { input: () => ({ subjectId: made['comment'], classifier: 'OUTDATED' }) },
      ],
      ['unminimizeComment', { input: () => ({ subjectId: made['comment'] }) }],
      ['deleteIssueComment', { input: () => ({ id: made['comment'] }) }],
      [
        'createLabel',
        {
          input: async () => ({
            repositoryId: await repositoryId(),
            name: 'new',
            color: 'ff0000',
          }),
          selection: 'label { id }',
          remember: keep('label'),
        },
      ],
      ['updateLabel', { input: () => ({ id: made['label'], color: '00ff00' }) }],
      [
        'addLabelsToLabelable',
        { input: async () => ({ labelableId: await issueId(), labelIds: [made['label']] }) },
      ],
      [
        'removeLabelsFromLabelable',
        { input: async () => ({ labelableId: await issueId(), labelIds: [made['label']] }) },
      ],
      ['clearLabelsFromLabelable', { input: async () => ({ labelableId: await issueId() }) }],
      ['deleteLabel', { input: () => ({ id: made['label'] }) }],
      [
        'addAssigneesToAssignable',
        { input: async () => ({ assignableId: await issueId(), assigneeIds: [userId(mate)] }) },
      ],
      [
        'removeAssigneesFromAssignable',
        { input: async () => ({ assignableId: await issueId(), assigneeIds: [userId(mate)] }) },
      ],
      ['lockLockable', { input: async () => ({ lockableId: await issueId() }) }],
      ['unlockLockable', { input: async () => ({ lockableId: await issueId() }) }],
      [
        'addReaction',
        { input: async () => ({ subjectId: await issueId(), content: 'HEART' }), by: mate },
      ],
      [
        'removeReaction',
        { input: async () => ({ subjectId: await issueId(), content: 'HEART' }), by: mate },
      ],
      ['addStar', { input: async () => ({ starrableId: await repositoryId() }), by: mate }],
      ['removeStar', { input: async () => ({ starrableId: await repositoryId() }), by: mate }],
      [
        'updateSubscription',
        {
          input: async () => ({ subscribableId: await repositoryId(), state: 'SUBSCRIBED' }),
          by: mate,
        },
      ],
      [
        'cloneTemplateRepository',
        {
          input: async () => {
            await owner().patch(at(''), { is_template: true });
            await sweep.warm(sweep.reads);
            return {
              repositoryId: await repositoryId(),
              ownerId: userId(owner),
              name: 'cloned',
              visibility: 'PUBLIC',
            };
          },
          unseen: 'rows',
        },
      ],
      [
        'updateRepository',
        { input: async () => ({ repositoryId: await repositoryId(), description: 'D' }) },
      ],
      ['archiveRepository', { input: async () => ({ repositoryId: await repositoryId() }) }],
      ['unarchiveRepository', { input: async () => ({ repositoryId: await repositoryId() }) }],
      [
        'createRef',
        {
          input: async () => ({
            repositoryId: await repositoryId(),
            name: 'refs/heads/made',
            oid: head(),
          }),
          selection: 'ref { id }',
          remember: keep('ref'),
        },
      ],
      [
        'updateRef',
        {
          input: () => ({ refId: made['ref'], oid: sweep.value('commit_sha'), force: true }),
        },
      ],
      [
        'createCommitOnBranch',
        {
          input: () => ({
            branch: { repositoryNameWithOwner: sweep.home, branchName: 'made' },
            message: { headline: 'Made' },
            expectedHeadOid: sweep.value('commit_sha'),
            fileChanges: { additions: [{ path: 'made.txt', contents: 'YQ==' }] },
          }),
        },
      ],
      ['deleteRef', { input: () => ({ refId: made['ref'] }) }],
      [
        'enablePullRequestAutoMerge',
        {
          input: async () => {
            await owner().patch(at(''), { allow_auto_merge: true });
            await owner().put(at('/branches/main/protection'), {
              required_status_checks: { strict: false, contexts: ['ci'] },
              enforce_admins: false,
              required_pull_request_reviews: null,
              restrictions: null,
            });
            await sweep.warm();
            return { pullRequestId: await pullRequestId() };
          },
        },
      ],
      ['disablePullRequestAutoMerge', ofPull],
      [
        'updatePullRequestBranch',
        {
          input: async () => {
            await owner().delete(at('/branches/main/protection'));
            const content = Buffer.from('n').toString('base64');
            await owner().put(at('/contents/newer.txt'), { message: 'N', content });
            await sweep.warm();
            return { pullRequestId: await pullRequestId() };
          },
        },
      ],
      ['mergePullRequest', ofPull],
      ['revertPullRequest', ofPull],
      [
        'createRepository',
        { input: () => ({ name: 'other', visibility: 'PUBLIC' }), unseen: 'rows' },
      ],
      ['followUser', { input: () => ({ userId: userId(owner) }), by: mate, unseen: 'rows' }],
      ['unfollowUser', { input: () => ({ userId: userId(owner) }), by: mate, unseen: 'rows' }],
    ];
    for (const [name, mutation] of mutations) yield writeOf(name, mutation);
  }

  function writeOf(name: string, { input, by, selection, remember, unseen }: Mutation): Write {
    const type = `${name[0]?.toUpperCase()}${name.slice(1)}Input`;
    const asked = selection ?? 'clientMutationId';
    const query = `mutation ($input: ${type}!) { ${name}(input: $input) { ${asked} } }`;
    const play = async (): Promise<TestResponse> => {
      const variables = { input: await input() };
      const response = await (by?.() ?? sweep.owner).post('/graphql', { query, variables });
      assert.equal(response.body.errors, undefined, `${name}: ${response.text}`);
      remember?.(response.body.data[name]);
      return response;
    };
    return { name, play, ...(unseen ? { unseen } : {}) };
  }

  test('every mutation is played', () => {
    const played = new Set([...writes()].map(({ name }) => name));
    const missing = Object.keys(mutationResolvers['Mutation'] ?? {}).filter(
      (name) => !played.has(name) && !refusing.has(name),
    );
    assert.deepEqual(missing, [], 'give each a row');
  });

  test('whatever a mutation writes', () => sweep.play(writes()));
});
