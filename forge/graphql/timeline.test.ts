import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { openPull } from '../testing/pull-fixture.ts';
import {
  startTestForge,
  type TestForge,
  type TestResponse,
  type TestUser,
} from '../testing/test-forge.ts';

describe('timelines', () => {
  let forge: TestForge;
  let owner: TestUser;
  let reviewer: TestUser;
  let name: string;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('owner');
    reviewer = await forge.user('reviewer');
    name = (await openPull(forge, owner)).name;
    const at = `/repos/${name}`;
    const must = async (response: Promise<TestResponse>): Promise<TestResponse['body']> => {
      forge.clock.advance(1000);
      const { status, body, text } = await response;
      assert.ok(status < 300, text);
      return body;
    };
    await must(owner.put(`${at}/collaborators/reviewer`, {}));
    const [invitation] = (await reviewer.get('/user/repository_invitations')).body;
    await must(reviewer.patch(`/user/repository_invitations/${invitation.id}`));
    await must(owner.post(`${at}/issues/1/labels`, { labels: ['bug', 'gone'] }));
    await must(owner.delete(`${at}/labels/gone`));
    await must(owner.post(`${at}/issues/1/assignees`, { assignees: ['owner'] }));
    const milestone = await must(owner.post(`${at}/milestones`, { title: 'First' }));
    await must(owner.patch(`${at}/issues/1`, { milestone: milestone.number }));
    await must(owner.patch(`${at}/pulls/1`, { title: 'Better' }));
    await must(owner.post(`${at}/pulls/1/requested_reviewers`, { reviewers: ['reviewer'] }));
    await must(owner.post(`${at}/issues/1/comments`, { body: 'Hello' }));
    await must(reviewer.post(`${at}/pulls/1/reviews`, { event: 'COMMENT', body: 'Seen' }));
    await must(reviewer.post(`${at}/pulls/1/reviews`, { body: 'A draft' }));
    await must(owner.put(`${at}/issues/1/lock`, { lock_reason: 'off-topic' }));
    await must(owner.put(`${at}/pulls/1/merge`));
    await must(owner.post(`${at}/issues`, { title: 'An issue' }));
    await must(owner.post(`${at}/issues/2/comments`, { body: 'Later' }));
  });
  after(() => forge.close());

  // oxlint-disable-next-line typescript/no-explicit-any -- tests reach into answers of every shape
  const timeline = async (number: number, values: string, fields: string): Promise<any> => {
    const [login = '', repository = ''] = name.split('/');
    const field = number === 1 ? 'pullRequest' : 'issue';
    const query = `query ($owner: String!, $name: String!) { repository(owner: $owner, name: $name) {
      ${field}(number: ${number}) { timelineItems(${values}) { ${fields} } } } }`;
    const variables = { owner: login, name: repository };
    const { body } = await owner.post('/graphql', { query, variables });
    assert.equal(body.errors, undefined, JSON.stringify(body.errors));
    return body.data.repository[field].timelineItems;
  };

  const all = [
    'PullRequestCommit',
    'LabeledEvent',
    'LabeledEvent',
    'AssignedEvent',
    'MilestonedEvent',
    'RenamedTitleEvent',
    'ReviewRequestedEvent',
    'IssueComment',
    'PullRequestReview',
    'LockedEvent',
    'MergedEvent',
    'ClosedEvent',
  ];

  test('of a pull have its commits, events, comments and reviews in the order of time', async () => {
    const fields = 'totalCount nodes { kind: __typename }';
    const { nodes, totalCount } = await timeline(1, 'first: 100', fields);
    const names = nodes.map(({ kind }: { kind: string }) => kind);
    assert.deepEqual(names.toSorted(), all.toSorted());
    assert.equal(totalCount, all.length);
    const rest = (await owner.get(`/repos/${name}/issues/1/timeline?per_page=100`)).body;
    assert.equal(rest.length, all.length);
  });

  test('come in pages from both ends, without gaps and repeats', async () => {
    const fields =
      'nodes { ... on Node { id } } pageInfo { hasNextPage hasPreviousPage endCursor startCursor }';
    const ids = ({ nodes }: { nodes: { id: string }[] }): string[] => nodes.map(({ id }) => id);
    const whole = ids(await timeline(1, 'last: 150', fields));
    assert.equal(new Set(whole).size, all.length);
    for (const [size, end, cursor, more] of [
      ['first', 'after', 'endCursor', 'hasNextPage'],
      ['last', 'before', 'startCursor', 'hasPreviousPage'],
    ] as const) {
      const found: string[] = [];
      let from = '';
      for (let asked = 0; asked <= all.length; asked += 5) {
        const page = await timeline(1, `${size}: 5 ${from}`, fields);
        if (size === 'first') found.push(...ids(page));
        else found.unshift(...ids(page));
        assert.equal(page.pageInfo[more], found.length < all.length);
        from = `${end}: "${page.pageInfo[cursor]}"`;
      }
      assert.deepEqual(found, whole, size);
    }
  });

  test('are filtered by type and by time', async () => {
    const types = 'itemTypes: [LABELED_EVENT, ISSUE_COMMENT, DEPLOYED_EVENT]';
    const { nodes, totalCount } = await timeline(
      1,
      `first: 10, ${types}`,
      `totalCount nodes { __typename
        ... on LabeledEvent { createdAt actor { login } label { name color } labelable { __typename } }
        ... on IssueComment { body createdAt } }`,
    );
    assert.equal(totalCount, 3);
    assert.deepEqual(
      nodes.map(
        (node: { label?: { name: string }; body?: string }) => node.label?.name ?? node.body,
      ),
      ['bug', 'gone', 'Hello'],
    );
    assert.equal(nodes[0].actor.login, 'owner');
    const since = `since: "${nodes[2].createdAt}"`;
    const later = await timeline(1, `first: 10, ${since}, ${types}`, 'nodes { __typename }');
    assert.deepEqual(later.nodes, [{ __typename: 'IssueComment' }]);
    const none = 'itemTypes: [PINNED_EVENT]';
    assert.equal((await timeline(1, none, 'totalCount')).totalCount, 0);
  });

  test('show what each event was about', async () => {
    const { nodes } = await timeline(
      1,
      'first: 100',
      `nodes {
        ... on PullRequestCommit { commit { message } }
        ... on AssignedEvent { user { login } assignee { ... on User { login } } }
        ... on MilestonedEvent { milestoneTitle }
        ... on RenamedTitleEvent { previousTitle currentTitle }
        ... on ReviewRequestedEvent { requestedReviewer { ... on User { login } } }
        ... on PullRequestReview { state body }
        ... on LockedEvent { lockReason }
        ... on MergedEvent { commit { oid } mergeRefName mergeRef { name } url }
      }`,
    );
    const found = nodes.filter((node: object) => Object.keys(node).length > 0);
    const merged = (await owner.get(`/repos/${name}/pulls/1`)).body;
    const events = (await owner.get(`/repos/${name}/issues/1/events?per_page=100`)).body;
    const { id } = events.find(({ event }: { event: string }) => event === 'merged');
    const has = (expected: object): void =>
      assert.ok(
        found.some((node: object) => JSON.stringify(node) === JSON.stringify(expected)),
        `${JSON.stringify(expected)} in ${JSON.stringify(found)}`,
      );
    has({ user: { login: 'owner' }, assignee: { login: 'owner' } });
    has({ milestoneTitle: 'First' });
    has({ requestedReviewer: { login: 'reviewer' } });
    has({ state: 'COMMENTED', body: 'Seen' });
    has({ lockReason: 'OFF_TOPIC' });
    has({
      commit: { oid: merged.merge_commit_sha },
      mergeRefName: 'main',
      mergeRef: { name: 'main' },
      url: `${merged.html_url}#event-${id}`,
    });
    assert.ok(found.some((node: { currentTitle?: string }) => node.currentTitle === 'Better'));
  });

  test('of an issue have no commits and reviews', async () => {
    const { nodes } = await timeline(2, 'first: 10', 'nodes { __typename }');
    assert.deepEqual(nodes, [{ __typename: 'IssueComment' }]);
  });

  test('run git once for a pull, whatever their aliases and totals', async (context) => {
    let logs = 0;
    const repository = forge.git.repository.bind(forge.git);
    context.mock.method(forge.git, 'repository', (id: number) => {
      const real = repository(id);
      const log: typeof real.log = (...input) => {
        logs += 1;
        return real.log(...input);
      };
      return { ...real, log };
    });
    const [login = '', repositoryName = ''] = name.split('/');
    const one = 'timelineItems(first: 1) { totalCount nodes { __typename } }';
    const aliases = Array.from({ length: 20 }, (_, index) => `t${index}: ${one}`);
    const query = `{ repository(owner: "${login}", name: "${repositoryName}") { pullRequest(number: 1) {
      ${aliases.join(' ')} } } }`;
    const { body } = await owner.post('/graphql', { query });
    assert.equal(body.data.repository.pullRequest.t19.totalCount, all.length);
    assert.equal(logs, 1);
  });

  test('of hundreds of issues are read together', async () => {
    const [login = '', repository = ''] = name.split('/');
    const aliases = Array.from({ length: 450 }, (_, index) => {
      const since = new Date(index * 1000).toISOString();
      return `a${index}: timelineItems(first: 1, since: "${since}") { totalCount nodes { __typename } }`;
    });
    const query = `{ repository(owner: "${login}", name: "${repository}") { issue(number: 2) { ${aliases.join('\n')} } } }`;
    const { body } = await owner.post('/graphql', { query });
    assert.equal(body.errors, undefined, JSON.stringify(body.errors));
    assert.equal(body.data.repository.issue['a449'].totalCount, 1);
  });
});
