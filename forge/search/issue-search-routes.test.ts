import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { findIssues, parseIssueSearch } from './find-issues.ts';

interface Found {
  readonly number: number;
  readonly title: string;
}

describe('the search for issues and pulls', () => {
  let forge: TestForge;
  let owner: TestUser;
  let outsider: TestUser;
  let name: string;
  let hidden: string;

  const search = async (query: string, who: TestUser = owner, more = ''): Promise<string[]> => {
    const response = await who.get(`/search/issues?q=${encodeURIComponent(query)}${more}`);
    assert.equal(response.status, 200, response.text);
    assert.equal(response.body.incomplete_results, false);
    return response.body.items.map(({ title }: Found) => title);
  };

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    outsider = await forge.user('stranger');
    name = await forge.repository(owner, { name: 'shop', init: true });
    hidden = await forge.repository(owner, { name: 'vault', private: true });
    const at = `/repos/${name}`;
    await owner.post(`${at}/milestones`, { title: 'First' });
    for (const issue of [
      { title: 'Broken cart', body: 'Ärger with 100% of carts', labels: ['bug', 'good first'] },
      { title: 'Slow page', body: 'cc @stranger', assignees: ['own'], milestone: 1 },
      { title: 'Old thing', labels: ['bug'] },
    ]) {
      forge.clock.advance(1000);
      assert.equal((await owner.post(`${at}/issues`, issue)).status, 201);
    }
    await owner.patch(`${at}/issues/3`, { state: 'closed' });
    await outsider.post(`${at}/issues/1/comments`, { body: 'A pineapple for @strangerish' });
    await owner.post(`/repos/${hidden}/issues`, { title: 'Secret cart' });
    const base = (await owner.get(`${at}/git/ref/heads/main`)).body.object.sha;
    await commitFiles(forge, name, 'topic', { 'a.txt': 'a' }, { parents: [base] });
    const pull = await owner.post(`${at}/pulls`, {
      title: 'Mend the cart',
      head: 'topic',
      base: 'main',
      draft: true,
    });
    assert.equal(pull.status, 201, pull.text);
    await owner.put(`${at}/collaborators/stranger`, { permission: 'push' });
    const [invitation] = (await outsider.get('/user/repository_invitations')).body;
    await outsider.patch(`/user/repository_invitations/${invitation.id}`);
    await owner.post(`${at}/pulls/4/requested_reviewers`, { reviewers: ['stranger'] });
  });
  after(() => forge.close());

  test('finds pulls by the ids of their commits, as release tools ask for them', async () => {
    const { head } = (await owner.get(`/repos/${name}/pulls/4`)).body;
    const short = head.sha.slice(0, 7);
    const pull = `repo:${name}+type:pr`;
    for (const [query, expected] of [
      [short, [4]],
      [`${head.sha} type:pr`, [4]],
      [`${pull}+${short}`, [4]],
      [`${pull}+0000000+${short}`, [4]],
      [`${pull}+0000000`, []],
      [`repo:${name} type:issue ${short}`, []],
      [`repo:${name} pineapple+a`, []],
    ] as const) {
      const { status, body } = await owner.get(`/search/issues?q=${encodeURIComponent(query)}`);
      assert.equal(status, 200, query);
      const numbers = body.items.map((item: { readonly number: number }) => item.number);
      assert.deepEqual(numbers, expected, query);
    }
  });

  test('is refused without a query, with an invalid one, and beyond a thousand results', async () => {
    for (const [path, code, message] of [
      ['/search/issues', 'missing', undefined],
      ['/search/issues?q=%20', 'missing', undefined],
      [`/search/issues?q=${'x'.repeat(257)}`, 'invalid', /longer than 256 characters/],
      ['/search/issues?q=created:soon', 'invalid', /is not a recognized date\/time format/],
      ['/search/issues?q=repo:own/nothing', 'invalid', /cannot be searched either because/],
      [`/search/issues?q=repo:${hidden}`, 'invalid', /cannot be searched either because/],
      ['/search/issues?q=user:nobody', 'invalid', /cannot be searched either because/],
    ] as const) {
      const { status, body } = await outsider.get(path);
      assert.equal(status, 422, path);
      const [error] = body.errors;
      assert.deepEqual([error.resource, error.field, error.code], ['Search', 'q', code], path);
      if (message) assert.match(error.message, message);
    }
    const far = await owner.get('/search/issues?q=cart&per_page=100&page=11');
    assert.equal(far.status, 422);
    assert.equal(far.body.message, 'Only the first 1000 search results are available');
  });

  test('finds only what the caller may read', async () => {
    const all = ['Mend the cart', 'Secret cart', 'Broken cart'];
    assert.deepEqual((await search('cart')).toSorted(), all.toSorted());
    const visible = ['Mend the cart', 'Broken cart'];
    assert.deepEqual(await search('cart', outsider), visible);
    const anonymous = await forge.anonymous.get('/search/issues?q=cart');
    assert.equal(anonymous.body.total_count, 2);
    const narrow = await forge.withScopes(owner, ['public_repo']);
    assert.deepEqual(await search('cart', narrow), visible);
  });

  test('has the qualifiers of GitHub', async () => {
    const titles = {
      cart: 'Broken cart',
      page: 'Slow page',
      old: 'Old thing',
      pull: 'Mend the cart',
    };
    const { cart, page, old, pull } = titles;
    for (const [query, expected] of [
      ['', [pull, old, page, cart]],
      ['is:issue', [old, page, cart]],
      ['is:pr', [pull]],
      ['type:issue is:open', [page, cart]],
      ['state:closed', [old]],
      ['-is:closed', [pull, page, cart]],
      ['label:bug', [old, cart]],
      ['label:BUG label:"good first"', [cart]],
      ['label:"good first",nothing', [cart]],
      ['-label:bug is:issue', [page]],
      ['no:label is:issue', [page]],
      ['no:assignee is:issue', [old, cart]],
      ['assignee:own', [page]],
      ['assignee:@me', [page]],
      ['assignee:*', [page]],
      ['milestone:first', [page]],
      ['author:own is:pr', [pull]],
      ['author:stranger', []],
      ['commenter:stranger', [cart]],
      ['mentions:stranger', [page]],
      ['mentions:strangerish', [cart]],
      ['-mentions:stranger is:issue', [old, cart]],
      ['commenter:stranger OR is:pr', [pull, cart]],
      ['-commenter:stranger is:issue', [old, page]],
      ['involves:stranger', [page, cart]],
      ['review-requested:stranger', [pull]],
      ['user-review-requested:stranger', [pull]],
      ['draft:true', [pull]],
      ['is:draft', [pull]],
      ['head:topic', [pull]],
      ['base:main', [pull]],
      ['status:success', []],
      ['review:none', [pull]],
      ['review:approved', []],
      ['is:merged', []],
      ['pineapple', [cart]],
      ['pineapple in:title', []],
      ['CART in:title is:issue', [cart]],
      ['ÄRGER', [cart]],
      ['ärger', [cart]],
      ['"100% of"', [cart]],
      ['1000_', []],
      ['slow OR old', [old, page]],
      ['cart NOT mend', [cart]],
      ['comments:>0', [cart]],
      ['created:>2000-01-01', [pull, old, page, cart]],
      ['created:<2000-01-01', []],
      ['is:nothing', []],
      ['sort:created-asc is:issue', [cart, page, old]],
    ] as const) {
      assert.deepEqual(await search(`repo:${name} ${query}`), expected, query);
    }
  });

  test('does not tell of secret teams', async () => {
    await forge.organization(owner, 'acme');
    const member = await forge.user('eve');
    const colleague = await forge.user('bob');
    for (const login of ['eve', 'bob']) {
      await owner.put(`/orgs/acme/memberships/${login}`, { role: 'member' });
    }
    const team = await owner.post('/orgs/acme/teams', { name: 'Shadow', privacy: 'secret' });
    assert.equal(team.status, 201, team.text);
    await owner.put('/orgs/acme/teams/shadow/memberships/eve');
    const made = await owner.post('/orgs/acme/repos', { name: 'open', auto_init: true });
    assert.equal(made.status, 201, made.text);
    await owner.put('/orgs/acme/teams/shadow/repos/acme/open', { permission: 'push' });
    const at = '/repos/acme/open';
    const base = (await owner.get(`${at}/git/ref/heads/main`)).body.object.sha;
    await commitFiles(forge, 'acme/open', 'topic', { 'a.txt': 'a' }, { parents: [base] });
    const pull = await owner.post(`${at}/pulls`, { title: 'Open', head: 'topic', base: 'main' });
    assert.equal(pull.status, 201, pull.text);
    const asked = await owner.post(`${at}/pulls/1/requested_reviewers`, {
      team_reviewers: ['shadow'],
    });
    assert.equal(asked.status, 201, asked.text);
    for (const query of ['review-requested:eve', 'team-review-requested:acme/shadow']) {
      const of = `repo:acme/open ${query}`;
      for (const who of [owner, member]) assert.deepEqual(await search(of, who), ['Open'], query);
      for (const who of [outsider, colleague]) assert.deepEqual(await search(of, who), [], query);
      const anonymous = await forge.anonymous.get(`/search/issues?q=${encodeURIComponent(of)}`);
      assert.equal(anonymous.body.total_count, 0, query);
    }
  });

  test('ends in time, whatever the texts, and says so', async () => {
    let now = 0;
    const { criterion, order } = parseIssueSearch('a', { sort: null, order: null });
    const searcher = { accountId: 0, login: undefined, seesPrivate: false };
    const late = await findIssues(
      forge.database,
      { criterion, order },
      searcher,
      () => (now += 1500),
    );
    assert.equal(late.incomplete, true);
  });

  test('gives pages in an order, with what the lists of issues show', async () => {
    const path = `/search/issues?q=repo:${name}+is:issue&sort=created&order=asc&per_page=2`;
    const first = await owner.get(path);
    assert.equal(first.body.total_count, 3);
    assert.match(first.headers['link'] ?? '', /page=2>; rel="next"/);
    const [cart] = first.body.items;
    const listed = await owner.get(`/repos/${name}/issues/1`);
    assert.equal(cart.url, listed.body.url);
    assert.deepEqual([cart.labels.length, cart.comments, cart.score], [2, 1, 1]);
    const second = await owner.get(`${path}&page=2`);
    assert.deepEqual(
      second.body.items.map(({ title }: Found) => title),
      ['Old thing'],
    );
    const [pull] = (await owner.get(`/search/issues?q=repo:${name}+is:pr`)).body.items;
    assert.equal(pull.draft, true);
    assert.match(pull.pull_request.url, /\/pulls\/4$/);
  });

  test('shows where the words are, where it is asked to', async () => {
    const accept = 'application/vnd.github.text-match+json';
    const response = await owner.get(`/search/issues?q=repo:${name}+cart+is:issue`, { accept });
    const [{ text_matches: matches }] = response.body.items;
    assert.deepEqual(
      matches.map(({ property, fragment }: Record<string, string>) => [property, fragment]),
      [
        ['title', 'Broken cart'],
        ['body', 'Ärger with 100% of carts'],
      ],
    );
    assert.deepEqual(matches[0].matches, [{ text: 'cart', indices: [7, 11] }]);
    const plain = await owner.get(`/search/issues?q=repo:${name}+cart`);
    assert.equal('text_matches' in plain.body.items[0], false);
  });

  test('finds repositories, users, labels and topics', async () => {
    const names = async (path: string, who: TestUser = owner): Promise<string[]> => {
      const response = await who.get(path);
      assert.equal(response.status, 200, response.text);
      return response.body.items.map(
        (item: Record<string, string>) => item['full_name'] ?? item['login'] ?? item['name'],
      );
    };
    await owner.put(`/repos/${name}/topics`, { names: ['commerce', 'web'] });
    assert.deepEqual(await names('/search/repositories?q=user:own&sort=updated'), [name, hidden]);
    assert.deepEqual(await names('/search/repositories?q=user:own', outsider), [name]);
    assert.deepEqual(await names('/search/repositories?q=SHO+in:name'), [name]);
    assert.deepEqual(await names('/search/repositories?q=topic:web'), [name]);
    assert.deepEqual(await names('/search/repositories?q=is:private+user:@me'), [hidden]);
    assert.deepEqual(await names('/search/users?q=strang'), ['stranger']);
    assert.deepEqual(await names('/search/users?q=type:org'), ['acme']);
    assert.deepEqual(await names('/search/topics?q=comm'), ['commerce']);
    const { id } = (await owner.get(`/repos/${name}`)).body;
    assert.deepEqual(await names(`/search/labels?repository_id=${id}&q=good`), ['good first']);
    const other = (await owner.get(`/repos/${hidden}`)).body.id;
    const refused = await outsider.get(`/search/labels?repository_id=${other}&q=good`);
    assert.equal(refused.status, 404);
    assert.equal((await owner.get('/search/labels?q=good')).status, 422);
  });
});

describe('the rate limit of searches', () => {
  let forge: TestForge;
  let user: TestUser;

  before(async () => {
    forge = await startTestForge({ rateLimitSearch: 3 });
    user = await forge.user('own');
  });
  after(() => forge.close());

  test('is counted apart, by the minute', async () => {
    for (const left of ['2', '1', '0']) {
      const { status, headers } = await user.get('/search/users?q=own');
      assert.deepEqual(
        [status, headers['x-ratelimit-remaining'], headers['x-ratelimit-resource']],
        [200, left, 'search'],
      );
    }
    assert.equal((await user.get('/search/users?q=own')).status, 403);
    const limits = await user.get('/rate_limit');
    assert.deepEqual(
      [limits.body.resources.search.used, limits.body.resources.search.remaining],
      [3, 0],
    );
    assert.equal(limits.body.resources.core.used, 0);
    assert.equal(limits.body.resources.code_search.used, 0);
    forge.clock.advance(61_000);
    assert.equal((await user.get('/search/users?q=own')).status, 200);
  });

  test('is smaller without credentials', async () => {
    assert.equal((await forge.anonymous.get('/search/users?q=own')).status, 200);
    assert.equal((await forge.anonymous.get('/search/users?q=own')).status, 403);
    assert.equal((await forge.anonymous.get('/meta')).status, 200);
  });
});
