import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import type { FastifyInstance } from 'fastify';

import { createForgeServer } from '../forge.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';

describe('pages that take git long', () => {
  let forge: TestForge;
  let server: FastifyInstance;
  let pageUrl: string;
  let owner: TestUser;
  let blames = 0;
  const second = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('own');
    pageUrl = `/${await forge.repository(owner, { init: true })}/blame/main/README.md`;
    const repository: typeof forge.git.repository = (id) => {
      const real = forge.git.repository(id);
      return {
        ...real,
        async blame(...parts) {
          blames += 1;
          if (blames === 2) second.resolve();
          await released.promise;
          return real.blame(...parts);
        },
      };
    };
    server = await createForgeServer({ ...forge.ports, git: { ...forge.git, repository } });
  });
  after(async () => {
    await server.close();
    await forge.close();
  });

  const get = (user: TestUser, url: string): Promise<{ statusCode: number; body: string }> =>
    server.inject({ url, headers: { accept: 'text/html', authorization: `token ${user.token}` } });

  const ask = async (user: TestUser): Promise<number> => (await get(user, pageUrl)).statusCode;

  test('leave room for those of others, however many one asks for', async () => {
    // One runs and four wait.
    const own = Array.from({ length: 6 }, () => ask(owner));
    assert.equal(await Promise.race(own), 429);
    assert.equal(blames, 1);
    const search = await get(owner, '/search?type=users&q=own');
    assert.match(search.body, /Too many/, 'searches share the room');
    const other = ask(await forge.user('other'));
    await second.promise;
    released.resolve();
    assert.equal(await other, 200);
    const statuses = await Promise.all(own);
    assert.deepEqual(statuses.toSorted(), [200, 200, 200, 200, 200, 429]);
  });
});
