import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { createUser } from '../accounts/create-user.ts';
import { clientWith } from '../testing/test-app.ts';
import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { createToken } from './create-token.ts';
import { makeToken } from './token.ts';

const hour = 3_600_000;
const header = 'github-authentication-token-expiration';

describe('tokens', () => {
  let forge: TestForge;
  let owner: TestUser;
  let repository: string;

  before(async () => {
    forge = await startTestForge();
    owner = await forge.user('ada');
    repository = await forge.repository(owner, { name: 'tools', private: true, init: true });
  });
  after(() => forge.close());

  const tokenFor = async (expiresAt?: number): Promise<string> => {
    const created = await createToken(forge.ports, { login: 'ada', scopes: ['repo'], expiresAt });
    return created.token;
  };
  const lastUse = async (token: string): Promise<number | null | undefined> => {
    await forge.ports.background.idle();
    const row = await forge.database.read((sql) =>
      sql.get<{ last_used_at: number | null }>(
        'select last_used_at from tokens where last_eight = $1',
        token.slice(-8),
      ),
    );
    return row?.last_used_at;
  };

  test('that expire say when, and are invalid from then on, in responses that were cached too', async () => {
    const expiresAt = forge.clock.now() + hour / 2;
    const token = await tokenFor(expiresAt);
    const basic = Buffer.from(`x:${token}`).toString('base64');
    const paths = ['/user', `/repos/${repository}/pulls`];
    const clients = [`token ${token}`, `Basic ${basic}`].map((authorization) =>
      clientWith(forge, () => authorization),
    );
    for (const client of clients) {
      for (const path of [...paths, ...paths]) {
        const response = await client.get(path);
        assert.equal(response.status, 200, path);
        assert.equal(response.headers[header], '2026-01-05 10:00:00 UTC', path);
      }
    }
    forge.clock.advance(hour / 2 - 1);
    for (const client of clients) {
      for (const path of paths) assert.equal((await client.get(path)).status, 200, path);
    }
    forge.clock.advance(1);
    for (const client of clients) {
      for (const path of paths) {
        const { status, body, headers } = await client.get(path);
        assert.deepEqual([status, body.message], [401, 'Bad credentials'], path);
        assert.equal(headers[header], undefined);
      }
      const refs = `/${repository}.git/info/refs?service=git-upload-pack`;
      assert.equal((await client.get(refs)).status, 401);
    }
  });

  test('that expired or were never issued lock no password out, over Basic', async () => {
    await createUser(forge.ports, { login: 'grace', password: 'p w' });
    const basic = (password: string): Record<string, string> => ({
      authorization: `Basic ${Buffer.from(`grace:${password}`).toString('base64')}`,
    });
    const expiresAt = forge.clock.now() + hour;
    const input = { login: 'grace', scopes: ['repo'], expiresAt };
    const { token } = await createToken(forge.ports, input);
    forge.clock.advance(hour);
    const issuedNowhere = makeToken(new Uint8Array(32).fill(7));
    for (let attempt = 0; attempt < 12; attempt += 1) {
      const used = attempt % 2 === 0 ? token : issuedNowhere;
      const { status, body } = await forge.anonymous.get('/user', basic(used));
      assert.deepEqual([status, body.message], [401, 'Bad credentials']);
    }
    assert.equal((await forge.anonymous.get('/user', basic('p w'))).status, 200);
    // Anything else is a password, and counts as one.
    for (let attempt = 0; attempt < 10; attempt += 1) {
      await forge.anonymous.get('/user', basic(`${token.slice(0, -1)}-`));
    }
    assert.equal((await forge.anonymous.get('/user', basic('p w'))).status, 403);
  });

  test('that do not expire say nothing of it', async () => {
    const client = clientWith(forge, () => `token ${owner.token}`);
    forge.clock.advance(1000 * 24 * hour);
    const response = await client.get('/user');
    assert.equal(response.status, 200);
    assert.equal(response.headers[header], undefined);
  });

  test('have their last use recorded, to the hour, in responses that were cached too', async () => {
    const token = await tokenFor();
    const client = clientWith(forge, () => `token ${token}`);
    assert.equal(await lastUse(token), null);
    const path = `/repos/${repository}/pulls`;
    await client.get(path);
    const first = forge.clock.now();
    assert.equal(await lastUse(token), first);
    await client.get(path);
    forge.clock.advance(hour - 1);
    await client.get(path);
    assert.equal(await lastUse(token), first);
    forge.clock.advance(1);
    await client.get(path);
    assert.equal(await lastUse(token), first + hour);
  });

  test('cannot begin with an expiration that is over', async () => {
    await assert.rejects(tokenFor(forge.clock.now()), { name: 'RefusalError' });
    assert.ok(await tokenFor(forge.clock.now() + 1));
  });
});
