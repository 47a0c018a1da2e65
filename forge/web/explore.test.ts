import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { signedInBrowser } from '../testing/test-browser.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('the page of public repositories', () => {
  let forge: TestForge;
  let ada: TestUser;
  let grace: TestUser;

  before(async () => {
    forge = await startTestForge();
    ada = await forge.user('ada');
    grace = await forge.user('grace');
  });
  after(() => forge.close());

  const asVisitor = async (query = ''): Promise<string> => {
    const { status, text } = await forge.anonymous.get(`/-/explore${query}`, {
      accept: 'text/html,application/xhtml+xml',
    });
    assert.equal(status, 200, text);
    return text;
  };
  const namesIn = (text: string): string[] =>
    [...text.matchAll(/<strong>ada\/([\w-]+)</g)].map(([, name = '']) => name);

  test('says what to do where there is none', async () => {
    const own = await signedInBrowser(forge, 'ada');
    assert.match(await asVisitor(), /No repository is public yet/);
    assert.match((await own.get('/-/explore')).text, /href="\/-\/new">Create one/);
  });

  test('lists public repositories alone, also for those who own private ones', async () => {
    for (const [name, isPrivate] of [
      ['plain', false],
      ['secret', true],
      ['liked', false],
    ] as const) {
      forge.clock.advance(1000);
      const description = `About <b>${name}</b>`;
      const body = { name, private: isPrivate, description };
      assert.equal((await ada.post('/user/repos', body)).status, 201);
    }
    await ada.put('/repos/ada/liked/topics', { names: ['tools'] });
    await grace.put('/user/starred/ada/liked');
    const own = await signedInBrowser(forge, 'ada');
    for (const text of [await asVisitor(), (await own.get('/-/explore')).text]) {
      assert.deepEqual(namesIn(text), ['liked', 'plain']);
      assert.match(text, /2 public repositories/);
      assert.match(text, /About &lt;b&gt;liked&lt;\/b&gt;/);
      assert.match(text, /href="\/search\?type=repositories&amp;q=topic%3Atools">tools</);
    }
  });

  test('is in the order that is asked for, page by page', async () => {
    assert.deepEqual(namesIn(await asVisitor('?sort=created')), ['liked', 'plain']);
    forge.clock.advance(1000);
    await ada.patch('/repos/ada/plain', { description: 'changed' });
    assert.deepEqual(namesIn(await asVisitor('?sort=updated')), ['plain', 'liked']);
    assert.deepEqual(namesIn(await asVisitor('?sort=__proto__')), ['liked', 'plain']);
    assert.match(await asVisitor('?page=9'), /No repository is on this page/);
  });
});
