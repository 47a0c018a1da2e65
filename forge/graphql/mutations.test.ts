import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { nodeId } from '../json/node-id.ts';
import { commitFiles, repositoryId } from '../testing/commits.ts';
import { openPull, untilChecked } from '../testing/pull-fixture.ts';
import {
  startTestForge,
  type TestForge,
  type TestResponse,
  type TestUser,
} from '../testing/test-forge.ts';

describe('mutations', () => {
  let forge: TestForge;
  let owner: TestUser;
  let stranger: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('owner');
    stranger = await forge.user('stranger');
  });
  after(() => forge.close());

  /** `name(input) { selection }`, with the input in a variable of its type. */
  const attempt = (
    user: TestUser,
    name: string,
    input: Record<string, unknown>,
    selection: string,
  ): Promise<TestResponse> => {
    const type = `${name[0]?.toUpperCase()}${name.slice(1)}Input`;
    const query = `mutation ($input: ${type}!) { ${name}(input: $input) { ${selection} } }`;
    return user.post('/graphql', { query, variables: { input } });
  };

  const mutate = async (
    name: string,
    input: Record<string, unknown>,
    selection = 'clientMutationId',
    user: TestUser = owner,
    // oxlint-disable-next-line typescript/no-explicit-any -- tests reach into answers of every shape
  ): Promise<any> => {
    const { body } = await attempt(user, name, input, selection);
    assert.equal(body.errors, undefined, JSON.stringify(body.errors));
    return body.data[name];
  };

  const refusal = async (
    user: TestUser,
    name: string,
    input: Record<string, unknown>,
  ): Promise<[type: string, message: string]> => {
    const { status, body } = await attempt(user, name, input, 'clientMutationId');
    assert.equal(status, 200);
    assert.deepEqual(body.data, { [name]: null });
    return [body.errors[0].type, body.errors[0].message];
  };

  const idOf = async (path: string): Promise<string> => (await owner.get(path)).body.node_id;

  test('are refused where REST refuses the same', async () => {
    const { path, response, name } = await openPull(forge, owner);
    const pullRequestId = response.body.node_id;
    const repository = await idOf(`/repos/${name}`);
    const [kind] = await refusal(stranger, 'mergePullRequest', { pullRequestId });
    assert.equal(kind, 'NOT_FOUND');
    assert.equal((await stranger.put(`${path}/merge`)).status, 404);
    for (const [mutation, input] of [
      ['createLabel', { repositoryId: repository, name: 'x', color: 'ffffff' }],
      ['updateRepository', { repositoryId: repository, description: 'x' }],
      ['lockLockable', { lockableId: pullRequestId }],
      ['createRef', { repositoryId: repository, name: 'refs/heads/x', oid: '0'.repeat(39) + '1' }],
      [
        'createCommitOnBranch',
        {
          branch: { repositoryNameWithOwner: name, branchName: 'main' },
          message: { headline: 'x' },
          expectedHeadOid: response.body.base.sha,
        },
      ],
    ] as const) {
      const [type] = await refusal(stranger, mutation, input);
      assert.ok(['NOT_FOUND', 'FORBIDDEN'].includes(type), mutation);
    }
    const narrow = await forge.withScopes(owner, []);
    const [type] = await refusal(narrow, 'closePullRequest', { pullRequestId });
    assert.ok(['NOT_FOUND', 'FORBIDDEN'].includes(type));
    assert.equal((await owner.get(path)).body.state, 'open');
    const [wrong, message] = await refusal(owner, 'closeIssue', { issueId: pullRequestId });
    assert.deepEqual(
      [wrong, message],
      ['NOT_FOUND', `Could not resolve to a node with the global id of '${pullRequestId}'`],
    );
  });

  test('need the scopes that REST needs, and rights are not those of another repository', async () => {
    const narrow = await forge.withScopes(owner, []);
    const input = { name: 'unwanted', visibility: 'PUBLIC' };
    assert.equal((await refusal(narrow, 'createRepository', input))[0], 'NOT_FOUND');
    assert.equal((await owner.get('/repos/owner/unwanted')).status, 404);
  });

  test('take labels and milestones of the same repository only, and change nothing otherwise', async () => {
    const [one, two] = [await forge.repository(owner), await forge.repository(owner)];
    for (const name of [one, two]) await owner.post(`/repos/${name}/milestones`, { title: name });
    await owner.post(`/repos/${one}/labels`, { name: 'foreign', color: 'ffffff' });
    const issue = await owner.post(`/repos/${two}/issues`, { title: 'T' });
    const id = issue.body.node_id;
    const labelIds = [await idOf(`/repos/${one}/labels/foreign`)];
    const milestoneId = await idOf(`/repos/${one}/milestones/1`);
    for (const [mutation, input] of [
      ['updateIssue', { id, milestoneId, title: 'U' }],
      ['updateIssue', { id, labelIds, title: 'U' }],
      ['addLabelsToLabelable', { labelableId: id, labelIds }],
      ['createIssue', { repositoryId: await idOf(`/repos/${two}`), title: 'V', labelIds }],
    ] as const) {
      assert.equal((await refusal(owner, mutation, input))[0], 'NOT_FOUND', mutation);
    }
    const left = (await owner.get(`/repos/${two}/issues/1`)).body;
    assert.deepEqual([left.title, left.milestone, left.labels], ['T', null, []]);
    assert.equal((await owner.get(`/repos/${two}/labels/foreign`)).status, 404);
    assert.equal((await owner.get(`/repos/${two}/issues/2`)).status, 404);
  });

  test('keep requested reviewers when new ones are refused', async () => {
    const { name, path, response } = await openPull(forge, owner);
    await owner.put(`/repos/${name}/collaborators/stranger`, { permission: 'push' });
    const [invitation] = (await stranger.get('/user/repository_invitations')).body;
    await stranger.patch(`/user/repository_invitations/${invitation.id}`);
    await owner.post(`${path}/requested_reviewers`, { reviewers: ['stranger'] });
    const passer = await forge.user();
    const pullRequestId = response.body.node_id;
    const userIds = [nodeId('User', passer.account.id)];
    assert.equal(
      (await refusal(owner, 'requestReviews', { pullRequestId, userIds }))[0],
      'UNPROCESSABLE',
    );
    const { users } = (await owner.get(`${path}/requested_reviewers`)).body;
    assert.deepEqual(
      users.map(({ login }: { login: string }) => login),
      ['stranger'],
    );
  });

  test('that are more than the caller may create at once are refused before the first', async () => {
    const limited = await startTestForge({ abuseLimits: true });
    try {
      const user = await limited.user('busy');
      const name = await limited.repository(user);
      const issue = await user.post(`/repos/${name}/issues`, { title: 'x' });
      const many = Array.from(
        { length: 100 },
        (_, index) =>
          `m${index}: addComment(input: {subjectId: "${issue.body.node_id}", body: "x"}) { clientMutationId }`,
      );
      const refused = await user.post('/graphql', { query: `mutation { ${many.join(' ')} }` });
      assert.equal(refused.status, 403);
      const { body } = await user.get(`/repos/${name}/issues/1`);
      assert.equal(body.comments, 0);
    } finally {
      await limited.close();
    }
  });

  test('are refused as a whole when they cost more than what is left', async () => {
    const limited = await startTestForge({ rateLimitUser: 10 });
    try {
      const user = await limited.user('poor');
      const aliases = Array.from(
        { length: 20 },
        (_, index) => `m${index}: deleteIssueComment(input: {id: "x"}) { clientMutationId }`,
      );
      const { status, body } = await user.post('/graphql', {
        query: `mutation { ${aliases.join(' ')} }`,
      });
      assert.deepEqual([status, body.data, body.errors[0].type], [200, undefined, 'RATE_LIMITED']);
    } finally {
      await limited.close();
    }
  });

  test('a pull is opened, changed, closed, reopened and merged', async () => {
    const name = await forge.repository(owner, { init: true });
    await commitFiles(forge, name, 'topic', { 'a.txt': 'a\n' }, {});
    const base = await owner.get(`/repos/${name}/git/ref/heads/main`);
    await commitFiles(forge, name, 'work', { 'b.txt': 'b\n' }, { parents: [base.body.object.sha] });
    const repositoryIdText = await idOf(`/repos/${name}`);
    const input = { repositoryId: repositoryIdText, baseRefName: 'main', title: 'T', body: 'B' };
    const unknown = await refusal(owner, 'createPullRequest', { ...input, headRefName: 'none' });
    assert.deepEqual(unknown, ['UNPROCESSABLE', 'PullRequest head is invalid']);
    const { pullRequest, clientMutationId } = await mutate(
      'createPullRequest',
      { ...input, headRefName: 'owner:work', draft: true, clientMutationId: 'mine' },
      'clientMutationId pullRequest { id number isDraft title url headRefName }',
    );
    assert.deepEqual(
      [clientMutationId, pullRequest.isDraft, pullRequest.headRefName],
      ['mine', true, 'work'],
    );
    const pullRequestId = pullRequest.id;
    const again = await refusal(owner, 'createPullRequest', { ...input, headRefName: 'work' });
    assert.equal(again[1], 'A pull request already exists for owner:work.');
    await mutate('markPullRequestReadyForReview', { pullRequestId });
    const stays = await mutate(
      'updatePullRequest',
      { pullRequestId, state: null, title: 'Newer' },
      'pullRequest { state title }',
    );
    assert.deepEqual(stays.pullRequest, { state: 'OPEN', title: 'Newer' });
    await owner.post(`/repos/${name}/labels`, { name: 'ready', color: 'ffffff' });
    await owner.post(`/repos/${name}/milestones`, { title: 'M' });
    const changed = await mutate(
      'updatePullRequest',
      {
        pullRequestId,
        title: 'New',
        assigneeIds: [nodeId('User', owner.account.id)],
        labelIds: [await idOf(`/repos/${name}/labels/ready`)],
        milestoneId: await idOf(`/repos/${name}/milestones/1`),
      },
      'pullRequest { title assignees(first: 5) { nodes { login } } labels(first: 5) { nodes { name } } milestone { title } }',
    );
    assert.deepEqual(changed.pullRequest, {
      title: 'New',
      assignees: { nodes: [{ login: 'owner' }] },
      labels: { nodes: [{ name: 'ready' }] },
      milestone: { title: 'M' },
    });
    const closed = await mutate(
      'closePullRequest',
      { pullRequestId },
      'pullRequest { state closed }',
    );
    assert.deepEqual(closed.pullRequest, { state: 'CLOSED', closed: true });
    await mutate('reopenPullRequest', { pullRequestId });
    const path = `/repos/${name}/pulls/${pullRequest.number}`;
    await untilChecked(forge, owner, path);
    const stale = await refusal(owner, 'mergePullRequest', {
      pullRequestId,
      expectedHeadOid: '1'.repeat(40),
    });
    assert.equal(stale[0], 'UNPROCESSABLE');
    const merged = await mutate(
      'mergePullRequest',
      { pullRequestId, mergeMethod: 'SQUASH', commitHeadline: 'Head', commitBody: 'Body' },
      'actor { login } pullRequest { state merged mergedBy { login } mergeCommit { message } }',
    );
    assert.deepEqual(merged, {
      actor: { login: 'owner' },
      pullRequest: {
        state: 'MERGED',
        merged: true,
        mergedBy: { login: 'owner' },
        mergeCommit: { message: 'Head\n\nBody' },
      },
    });
  });

  test('the branch of a pull is updated by a merge of its base', async () => {
    const { name, base, response } = await openPull(forge, owner);
    await commitFiles(forge, name, 'main', { 'other.txt': 'o\n' }, { parents: [base] });
    const pullRequestId = response.body.node_id;
    const { pullRequest } = await mutate(
      'updatePullRequestBranch',
      { pullRequestId, expectedHeadOid: response.body.head.sha },
      'pullRequest { headRefOid }',
    );
    assert.notEqual(pullRequest.headRefOid, response.body.head.sha);
    const [type] = await refusal(owner, 'updatePullRequestBranch', {
      pullRequestId,
      expectedHeadOid: response.body.head.sha,
    });
    assert.equal(type, 'UNPROCESSABLE');
  });

  test('reviews are asked for, drafted on lines, submitted, and their threads resolved', async () => {
    const { name, path, response } = await openPull(forge, owner);
    const pullRequestId = response.body.node_id;
    await owner.put(`/repos/${name}/collaborators/stranger`, { permission: 'push' });
    const [invitation] = (await stranger.get('/user/repository_invitations')).body;
    await stranger.patch(`/user/repository_invitations/${invitation.id}`);
    const asked = await mutate(
      'requestReviews',
      { pullRequestId, userIds: [nodeId('User', stranger.account.id)], union: true },
      'pullRequest { reviewRequests(first: 5) { nodes { requestedReviewer { ... on User { login } } } } }',
    );
    assert.deepEqual(asked.pullRequest.reviewRequests.nodes, [
      { requestedReviewer: { login: 'stranger' } },
    ]);
    const none = await mutate(
      'requestReviews',
      { pullRequestId, userIds: [] },
      'pullRequest { reviewRequests(first: 5) { totalCount } }',
    );
    assert.equal(none.pullRequest.reviewRequests.totalCount, 0);

    const line = { path: 'new.txt', line: 1, side: 'RIGHT', body: 'Why?' };
    for (const mutation of ['addPullRequestReviewThread', 'submitPullRequestReview']) {
      const input = mutation.startsWith('add') ? line : { event: 'COMMENT' };
      const [type, message] = await refusal(owner, mutation, input);
      assert.equal(type, 'UNPROCESSABLE');
      assert.match(message, /pullRequestReviewId or pullRequestId must be given/);
    }
    const outside = await refusal(stranger, 'addPullRequestReviewThread', {
      ...line,
      pullRequestId,
      line: 99,
    });
    assert.equal(outside[0], 'UNPROCESSABLE');
    const { thread } = await mutate(
      'addPullRequestReviewThread',
      { ...line, pullRequestId },
      'thread { id isResolved path line comments(first: 5) { nodes { body state pullRequestReview { id state } } } }',
      stranger,
    );
    const [comment] = thread.comments.nodes;
    assert.deepEqual(
      [thread.isResolved, thread.path, thread.line, comment.state],
      [false, 'new.txt', 1, 'PENDING'],
    );
    // A pending review is its author's alone.
    assert.equal(
      (await refusal(owner, 'resolveReviewThread', { threadId: thread.id }))[0],
      'NOT_FOUND',
    );
    await mutate(
      'addPullRequestReviewThread',
      { ...line, pullRequestId, body: 'And?' },
      'thread { id }',
      stranger,
    );
    const submitted = await mutate(
      'submitPullRequestReview',
      { pullRequestId, event: 'REQUEST_CHANGES', body: 'Please' },
      'pullRequestReview { id state comments(first: 5) { totalCount } }',
      stranger,
    );
    assert.equal(submitted.pullRequestReview.state, 'CHANGES_REQUESTED');
    assert.equal(submitted.pullRequestReview.comments.totalCount, 2);
    const reply = await mutate(
      'addPullRequestReviewThreadReply',
      { pullRequestReviewThreadId: thread.id, body: 'Because' },
      'comment { body replyTo { body } }',
    );
    assert.deepEqual(reply.comment, { body: 'Because', replyTo: { body: 'Why?' } });

    const passer = await forge.user();
    assert.equal(
      (await refusal(passer, 'resolveReviewThread', { threadId: thread.id }))[0],
      'FORBIDDEN',
    );
    const resolved = await mutate(
      'resolveReviewThread',
      { threadId: thread.id },
      'thread { isResolved resolvedBy { login } viewerCanResolve viewerCanUnresolve }',
    );
    assert.deepEqual(resolved.thread, {
      isResolved: true,
      resolvedBy: { login: 'owner' },
      viewerCanResolve: false,
      viewerCanUnresolve: true,
    });
    // Whoever resolved it first stays named.
    await mutate('resolveReviewThread', { threadId: thread.id }, 'thread { id }', stranger);
    const listed = await owner.post('/graphql', {
      query: `query ($id: ID!) { node(id: $id) { ... on PullRequest { reviewThreads(first: 10) { totalCount
        nodes { isResolved isOutdated resolvedBy { login } comments(first: 5) { totalCount nodes { databaseId author { login } body } } } } } } }`,
      variables: { id: pullRequestId },
    });
    const { reviewThreads } = listed.body.data.node;
    assert.equal(reviewThreads.totalCount, 2);
    assert.deepEqual(
      reviewThreads.nodes.map((each: { isResolved: boolean; isOutdated: boolean }) => [
        each.isResolved,
        each.isOutdated,
      ]),
      [
        [true, false],
        [false, false],
      ],
    );
    assert.equal(reviewThreads.nodes[0].resolvedBy.login, 'owner');
    assert.equal(reviewThreads.nodes[0].comments.totalCount, 2);
    const open = await mutate(
      'unresolveReviewThread',
      { threadId: thread.id },
      'thread { isResolved resolvedBy { login } }',
    );
    assert.deepEqual(open.thread, { isResolved: false, resolvedBy: null });
    assert.equal((await owner.get(`${path}/comments`)).body.length, 3);
  });

  test('a review comes with its threads, and a pending one is deleted', async () => {
    const { response } = await openPull(forge, owner);
    const pullRequestId = response.body.node_id;
    const threads = [{ path: 'new.txt', line: 1, side: 'RIGHT', body: 'Here' }];
    const own = await refusal(owner, 'addPullRequestReview', { pullRequestId, event: 'APPROVE' });
    assert.equal(own[0], 'UNPROCESSABLE');
    const { pullRequestReview: review } = await mutate(
      'addPullRequestReview',
      { pullRequestId, body: 'Draft', threads },
      'pullRequestReview { id state body comments(first: 5) { nodes { body path } } }',
    );
    assert.deepEqual(
      [review.state, review.comments.nodes],
      ['PENDING', [{ body: 'Here', path: 'new.txt' }]],
    );
    await mutate(
      'deletePullRequestReview',
      { pullRequestReviewId: review.id },
      'pullRequestReview { id }',
    );
    const gone = await refusal(owner, 'deletePullRequestReview', {
      pullRequestReviewId: review.id,
    });
    assert.equal(gone[0], 'NOT_FOUND');
  });

  test('issues, comments and labels are created, changed and removed', async () => {
    const name = await forge.repository(owner);
    const repository = await idOf(`/repos/${name}`);
    const { label } = await mutate(
      'createLabel',
      { repositoryId: repository, name: 'bug', color: 'ff0000', description: 'D' },
      'label { id name color }',
    );
    const { issue } = await mutate(
      'createIssue',
      { repositoryId: repository, title: 'T', body: 'B', labelIds: [label.id] },
      'issue { id number labels(first: 5) { nodes { name } } }',
    );
    assert.deepEqual(issue.labels.nodes, [{ name: 'bug' }]);
    const { commentEdge } = await mutate(
      'addComment',
      { subjectId: issue.id, body: 'C' },
      'commentEdge { cursor node { id body url } } subject { id }',
    );
    assert.equal(commentEdge.node.body, 'C');
    const { issueComment } = await mutate(
      'updateIssueComment',
      { id: commentEdge.node.id, body: 'D' },
      'issueComment { body viewerDidAuthor }',
    );
    assert.deepEqual(issueComment, { body: 'D', viewerDidAuthor: true });
    const updated = await mutate(
      'updateIssue',
      { id: issue.id, title: 'U', assigneeIds: [nodeId('User', owner.account.id)] },
      'issue { title body assignees(first: 5) { totalCount } }',
    );
    assert.deepEqual(updated.issue, { title: 'U', body: 'B', assignees: { totalCount: 1 } });
    const closed = await mutate(
      'closeIssue',
      { issueId: issue.id, stateReason: 'COMPLETED' },
      'issue { state }',
    );
    assert.equal(closed.issue.state, 'CLOSED');
    const reopened = await mutate('reopenIssue', { issueId: issue.id }, 'issue { state }');
    assert.equal(reopened.issue.state, 'OPEN');
    const locked = await mutate(
      'lockLockable',
      { lockableId: issue.id, lockReason: 'TOO_HEATED' },
      'lockedRecord { locked activeLockReason }',
    );
    assert.deepEqual(locked.lockedRecord, { locked: true, activeLockReason: 'TOO_HEATED' });
    await mutate('unlockLockable', { lockableId: issue.id }, 'unlockedRecord { locked }');
    const fewer = await mutate(
      'removeLabelsFromLabelable',
      { labelableId: issue.id, labelIds: [label.id] },
      'labelable { labels(first: 5) { totalCount } }',
    );
    assert.equal(fewer.labelable.labels.totalCount, 0);
    const more = await mutate(
      'addLabelsToLabelable',
      { labelableId: issue.id, labelIds: [label.id] },
      'labelable { labels(first: 5) { nodes { name } } }',
    );
    assert.deepEqual(more.labelable.labels.nodes, [{ name: 'bug' }]);
    const renamed = await mutate(
      'updateLabel',
      { id: label.id, name: 'fault' },
      'label { name color }',
    );
    assert.deepEqual(renamed.label, { name: 'fault', color: 'ff0000' });
    await mutate('deleteLabel', { id: label.id });
    await mutate('deleteIssueComment', { id: commentEdge.node.id });
    assert.equal((await owner.get(`/repos/${name}/labels/fault`)).status, 404);
  });

  test('repositories are created, changed and archived', async () => {
    const { repository } = await mutate(
      'createRepository',
      { name: 'made', visibility: 'PRIVATE', description: 'D', hasWikiEnabled: false },
      'repository { id name isPrivate owner { login } hasWikiEnabled url }',
    );
    assert.deepEqual(
      [repository.name, repository.isPrivate, repository.owner.login],
      ['made', true, 'owner'],
    );
    const taken = await refusal(owner, 'createRepository', { name: 'made', visibility: 'PUBLIC' });
    assert.equal(taken[0], 'UNPROCESSABLE');
    const changed = await mutate(
      'updateRepository',
      { repositoryId: repository.id, hasIssuesEnabled: false, homepageUrl: 'https://example.test' },
      'repository { hasIssuesEnabled homepageUrl description }',
    );
    assert.deepEqual(changed.repository, {
      hasIssuesEnabled: false,
      homepageUrl: 'https://example.test',
      description: 'D',
    });
    const archived = await mutate(
      'archiveRepository',
      { repositoryId: repository.id },
      'repository { isArchived }',
    );
    assert.equal(archived.repository.isArchived, true);
    await mutate('unarchiveRepository', { repositoryId: repository.id });
  });

  test('refs are created, moved and deleted', async () => {
    const name = await forge.repository(owner);
    const first = await commitFiles(forge, name, 'main', { 'a.txt': 'a\n' });
    const second = await commitFiles(forge, name, 'main', { 'a.txt': 'b\n' });
    const { ref } = await mutate(
      'createRef',
      { repositoryId: await idOf(`/repos/${name}`), name: 'refs/heads/feature/x', oid: first },
      'ref { id name target { oid } }',
    );
    assert.deepEqual([ref.name, ref.target.oid], ['feature/x', first]);
    const moved = await mutate(
      'updateRef',
      { refId: ref.id, oid: second },
      'ref { target { oid } }',
    );
    assert.equal(moved.ref.target.oid, second);
    assert.equal(
      (await refusal(owner, 'updateRef', { refId: ref.id, oid: first }))[0],
      'UNPROCESSABLE',
    );
    await mutate('updateRef', { refId: ref.id, oid: first, force: true });
    await mutate('deleteRef', { refId: ref.id });
    assert.equal((await refusal(owner, 'deleteRef', { refId: ref.id }))[0], 'NOT_FOUND');
  });

  test('a commit changes several files on the expected head, or nothing', async () => {
    const name = await forge.repository(owner);
    const head = await commitFiles(forge, name, 'main', { 'a.txt': 'a\n', 'old/b.txt': 'b\n' });
    const branch = { repositoryNameWithOwner: name, branchName: 'main' };
    const base64 = (content: string | Buffer): string => Buffer.from(content).toString('base64');
    const binary = Buffer.alloc(3 * 1024 * 1024, 7);
    const input = {
      branch,
      expectedHeadOid: head,
      message: { headline: 'Change', body: 'Much' },
      fileChanges: {
        additions: [
          { path: 'a.txt', contents: base64('A\n') },
          { path: 'new/c.bin', contents: base64(binary) },
        ],
        deletions: [{ path: 'old/b.txt' }],
      },
    };
    const { commit, ref } = await mutate(
      'createCommitOnBranch',
      input,
      'commit { oid url message author { user { login } } } ref { name target { oid } }',
    );
    assert.deepEqual([commit.message, commit.author.name], ['Change\n\nMuch', undefined]);
    assert.equal(ref.target.oid, commit.oid);
    const tree = await owner.get(`/repos/${name}/git/trees/${commit.oid}?recursive=1`);
    assert.deepEqual(
      tree.body.tree.map((entry: { path: string; size?: number }) => [entry.path, entry.size]),
      [
        ['a.txt', 2],
        ['new', undefined],
        ['new/c.bin', binary.length],
      ],
    );
    const stale = await refusal(owner, 'createCommitOnBranch', input);
    assert.match(stale[1], /^Expected branch to point to/);
    const id = nodeId('Ref', `${await repositoryId(forge, name)}:refs/heads/main`);
    const missing = await refusal(owner, 'createCommitOnBranch', {
      ...input,
      branch: { id },
      expectedHeadOid: commit.oid,
      fileChanges: { deletions: [{ path: 'nope.txt' }] },
    });
    assert.match(missing[1], /nope\.txt$/);
    for (const path of ['../x', '/x', 'a//b', '.git/config', '']) {
      const bad = await refusal(owner, 'createCommitOnBranch', {
        ...input,
        expectedHeadOid: commit.oid,
        fileChanges: { additions: [{ path, contents: '' }] },
      });
      assert.equal(bad[0], 'UNPROCESSABLE');
    }
    assert.equal(
      (await owner.get(`/repos/${name}/git/ref/heads/main`)).body.object.sha,
      commit.oid,
    );
  });

  test('a commit loses no file by one in the place of its folder, or by a folder in its place', async () => {
    const name = await forge.repository(owner);
    const files = { 'a.txt': 'a\n', 'old/b.txt': 'b\n', 'old/c.txt': 'c\n' };
    const expectedHeadOid = await commitFiles(forge, name, 'main', files);
    const change = (additions: readonly string[], deletions: readonly string[] = []) => ({
      branch: { repositoryNameWithOwner: name, branchName: 'main' },
      expectedHeadOid,
      message: { headline: 'Change' },
      fileChanges: {
        additions: additions.map((path) => ({ path, contents: '' })),
        deletions: deletions.map((path) => ({ path })),
      },
    });
    for (const refused of [
      change(['old']),
      change(['old'], ['old/b.txt']),
      change(['a.txt/x']),
      change(['n', 'n/m/o']),
    ]) {
      const [type, message] = await refusal(owner, 'createCommitOnBranch', refused);
      assert.equal(type, 'UNPROCESSABLE');
      assert.match(message, /is (?:not )?a directory/);
    }
    const replaced = change(['old', 'a.txt/x'], ['old/b.txt', 'old/c.txt', 'a.txt']);
    const { commit } = await mutate('createCommitOnBranch', replaced, 'commit { oid }');
    const tree = await owner.get(`/repos/${name}/git/trees/${commit.oid}?recursive=1`);
    const paths = tree.body.tree.map(({ path }: { path: string }) => path);
    assert.deepEqual(paths, ['a.txt', 'a.txt/x', 'old']);
  });

  test('a commit on a protected branch is refused as a push is', async () => {
    const name = await forge.repository(owner);
    const head = await commitFiles(forge, name, 'main', { 'a.txt': 'a\n' });
    await owner.put(`/repos/${name}/branches/main/protection`, {
      required_status_checks: { strict: false, contexts: ['ci'] },
      enforce_admins: true,
      required_pull_request_reviews: null,
      restrictions: null,
    });
    const [type] = await refusal(owner, 'createCommitOnBranch', {
      branch: { repositoryNameWithOwner: name, branchName: 'main' },
      expectedHeadOid: head,
      message: { headline: 'x' },
      fileChanges: { additions: [{ path: 'b.txt', contents: '' }] },
    });
    assert.equal(type, 'UNPROCESSABLE');
  });
});
