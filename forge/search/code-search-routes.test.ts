import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { codeQualifiers, findCode } from './find-code.ts';
import { parseSearchQuery } from './search-query.ts';

describe('the search for code and commits', () => {
  let forge: TestForge;
  let owner: TestUser;
  let outsider: TestUser;
  let name: string;
  let hidden: string;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    outsider = await forge.user('stranger');
    name = await forge.repository(owner, { name: 'shop' });
    hidden = await forge.repository(owner, { name: 'vault', private: true });
    await forge.repository(owner, { name: 'empty' });
    await commitFiles(
      forge,
      name,
      'main',
      {
        'src/cart.ts': 'export const Cart = 1;\nconst price = 2;\n',
        'src/page.ts': 'import { cart } from "./cart";\n',
        'docs/cart.md': 'A cart has a price.\n',
        'blob.bin': Buffer.from([0, 99, 97, 114, 116]),
      },
      { message: 'Add the cart [1.0]', author: { name: 'Ada', email: 'ada@example.test' } },
    );
    forge.clock.advance(60_000);
    await commitFiles(forge, name, 'main', { 'more.txt': 'more' }, { message: 'Say more\n\nwhy' });
    await commitFiles(forge, hidden, 'main', { 'cart.txt': 'a secret cart' });
  });
  after(() => forge.close());

  const code = async (query: string, who: TestUser = owner): Promise<string[]> => {
    const response = await who.get(`/search/code?q=${encodeURIComponent(query)}`);
    assert.equal(response.status, 200, response.text);
    assert.equal(response.headers['x-ratelimit-resource'], 'code_search');
    return response.body.items.map(({ path }: { path: string }) => path);
  };
  const commits = async (query: string, who: TestUser = owner): Promise<string[]> => {
    const response = await who.get(`/search/commits?q=${encodeURIComponent(query)}`);
    assert.equal(response.status, 200, response.text);
    return response.body.items.map(
      (item: { commit: { message: string } }) => item.commit.message.split('\n')[0],
    );
  };

  test('of code needs credentials, a text and a repository that can be read', async () => {
    assert.equal((await forge.anonymous.get('/search/code?q=cart')).status, 401);
    const bare = await owner.get(`/search/code?q=repo:${name}`);
    assert.match(bare.body.errors[0].message, /^Search text is required when searching source/);
    const denied = await outsider.get(`/search/code?q=cart+repo:${hidden}`);
    assert.match(denied.body.errors[0].message, /cannot be searched either because/);
    assert.equal((await outsider.get(`/search/commits?q=cart+repo:${hidden}`)).status, 422);
  });

  test('of code finds files of default branches that have every word', async () => {
    for (const [query, expected] of [
      [`cart repo:${name}`, ['docs/cart.md', 'src/cart.ts', 'src/page.ts']],
      [`cart price repo:${name}`, ['docs/cart.md', 'src/cart.ts']],
      [`cart NOT price repo:${name}`, ['src/page.ts']],
      [`cart path:src repo:${name}`, ['src/cart.ts', 'src/page.ts']],
      [`cart extension:md user:own`, ['docs/cart.md']],
      [`cart filename:page.ts`, ['src/page.ts']],
      [`"has a price" repo:${name}`, ['docs/cart.md']],
      [`"--help" repo:${name}`, []],
      [`a.*b repo:${name}`, []],
      ['secret', ['cart.txt']],
      ['more OR secret', ['cart.txt', 'more.txt']],
    ] as const) {
      assert.deepEqual((await code(query)).toSorted(), expected, query);
    }
    assert.deepEqual(await code('secret', outsider), []);
  });

  test('of code shows where its words are', async () => {
    const response = await owner.get(`/search/code?q=price+path:docs+repo:${name}`, {
      accept: 'application/vnd.github.text-match+json',
    });
    const [item] = response.body.items;
    assert.equal(item.repository.full_name, name);
    assert.equal(item.text_matches[0].fragment, 'A cart has a price.\n');
    assert.deepEqual(item.text_matches[0].matches, [{ text: 'price', indices: [13, 18] }]);
    const file = await owner.get(item.url.replace('http://forge.test', ''));
    assert.equal(file.body.sha, item.sha);
  });

  test('of code ends in time, and says so', async () => {
    let now = 0;
    const { criterion } = parseSearchQuery(`cart repo:${name}`, codeQualifiers);
    const searcher = { accountId: owner.account.id, login: 'own', seesPrivate: true };
    // The time is over once the repository is entered.
    const found = await findCode(forge.ports, criterion, searcher, () => {
      now += 6000;
      return now;
    });
    assert.deepEqual(found, { files: [], incomplete: true });
  });

  test('of commits finds those of default branches, the newest first', async () => {
    for (const [query, expected] of [
      [`repo:${name}`, ['Say more', 'Add the cart [1.0]']],
      [`repo:${name} CART`, ['Add the cart [1.0]']],
      [`repo:${name} [1.0]`, ['Add the cart [1.0]']],
      [`repo:${name} author-email:ada@example.test`, ['Add the cart [1.0]']],
      [`repo:${name} author-name:ada more`, []],
      [`repo:${name} -author-name:ada`, ['Say more']],
      [`repo:${name} merge:true`, []],
      [`repo:${name} committer-date:<2000-01-01`, []],
      [`repo:${name} sort:committer-date-asc`, ['Add the cart [1.0]', 'Say more']],
    ] as const) {
      assert.deepEqual(await commits(query), expected, query);
    }
    assert.deepEqual(await commits('cart.txt', outsider), []);
    assert.equal((await commits('cart.txt')).length, 1);
  });
});
