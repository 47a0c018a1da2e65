import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { commitFiles } from '../testing/commits.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

const ada = { name: 'Ada', email: 'ADA@example.test' };
const outside = { name: 'Grace', email: 'grace@elsewhere.test' };

describe('contributors', () => {
  let forge: TestForge;
  let owner: TestUser;
  let user: TestUser;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('owner');
    user = await forge.user('ada');
  });
  after(() => forge.close());

  test('are shown to those who may read the repository; an empty one has none', async () => {
    const name = await forge.repository(owner, { private: true });
    const path = `/repos/${name}/contributors`;
    assert.equal((await user.get(path)).status, 404);
    assert.equal((await owner.get(path)).status, 204);
  });

  test('are users by the addresses of authors, with the most commits first', async () => {
    const name = await forge.repository(owner);
    const path = `/repos/${name}/contributors`;
    for (const [index, author] of [outside, ada, outside, outside, ada].entries()) {
      await commitFiles(forge, name, 'main', { 'a.txt': `${index}` }, { author });
    }
    await commitFiles(forge, name, 'main', {
      'a.txt': 'b',
      '.mailmap': '<other@example.test> <ada@example.test>\n',
    });
    const { body } = await owner.get(path);
    assert.deepEqual(
      body.map((each: { login: string; type: string; contributions: number }) => [
        each.login,
        each.type,
        each.contributions,
      ]),
      [['ada', 'User', 2]],
    );
    const all = (await owner.get(`${path}?anon=1`)).body;
    assert.deepEqual(all[0], { ...outside, type: 'Anonymous', contributions: 3 });
    assert.deepEqual([all[1].login, all.length], ['ada', 3]);
    const second = await owner.get(`${path}?anon=true&per_page=1&page=2`);
    assert.equal(second.body[0].login, 'ada');
    assert.match(second.headers['link'] ?? '', /page=3[^>]*>; rel="last"/);
  });

  test('of the default branch only, as it is now', async () => {
    const name = await forge.repository(owner);
    const path = `/repos/${name}/contributors?anon=1`;
    await commitFiles(forge, name, 'main', { a: 'a' }, { author: ada });
    await commitFiles(forge, name, 'side', { a: 'b' }, { author: outside, parents: [] });
    assert.equal((await owner.get(path)).body.length, 1);
    await commitFiles(forge, name, 'main', { a: 'c' }, { author: ada });
    assert.equal((await owner.get(path)).body[0].contributions, 2);
  });
});
