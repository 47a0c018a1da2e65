import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';

import { createPasswordSignIn } from '../auth/password-sign-in.ts';
import { TokenUses } from '../auth/token-use.ts';
import { startTestForge, type TestForge } from '../testing/test-forge.ts';
import { createAuthenticate } from './authentication.ts';

describe('a token', () => {
  let forge: TestForge;
  before(async () => {
    forge = await startTestForge();
  });
  after(() => forge.close());

  test('has one caller until the next commit, for which decisions about access are cached', async () => {
    const { token } = await forge.user();
    const { ports } = forge;
    const authenticate = createAuthenticate(
      ports,
      createPasswordSignIn(ports),
      new TokenUses(ports),
    );
    const bearer = {
      headers: { authorization: `token ${token}` },
      ip: '127.0.0.1',
      raw: new IncomingMessage(new Socket()),
    };
    await authenticate(bearer);
    await ports.background.idle();
    const [one, other] = [await authenticate(bearer), await authenticate(bearer)];
    assert.equal(one.caller.kind, 'user');
    // SQLite alone knows its commits.
    if (ports.database.dataVersion() !== undefined) assert.equal(one.caller, other.caller);
  });
});
