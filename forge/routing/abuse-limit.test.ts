import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';

import { startTestForge, type TestResponse, type TestForge } from '../testing/test-forge.ts';
import { createAbuseLimits } from './abuse-limit.ts';

describe('the limits against abuse', () => {
  const creationMessage =
    'You have triggered an abuse detection mechanism (a secondary rate limit) and have been temporarily blocked from content creation. Please retry your request again later.';

  let forge: TestForge;

  before(async () => {
    forge = await startTestForge({ abuseLimits: true });
  });
  after(() => forge.close());

  /** What each client recognizes it by. */
  function assertKnownToClients(response: TestResponse): void {
    const { message, documentation_url: documentation } = response.body;
    assert.equal(response.status, 403);
    assert.match(response.headers['retry-after'] ?? '', /^[1-9]\d*$/);
    // go-github
    assert.ok(documentation.endsWith('#abuse-rate-limits'));
    // PyGithub
    assert.match(
      message.toLowerCase(),
      /please (?:retry your request again later|wait a few minutes before you try again)\.$/,
    );
    // octokit.rb looks at the first before the second
    assert.doesNotMatch(response.text, /rate limit exceeded|login attempts exceeded/i);
    assert.match(response.text, /abuse/i);
    // Octokit's throttling plugin
    assert.match(message, /\bsecondary rate\b/i);
  }

  test('the eighty-first creating request of a minute is refused, reading goes on', async () => {
    const user = await forge.user();
    // Refused for its body, but only after it was counted.
    for (let turn = 0; turn < 80; turn += 1) {
      assert.equal((await user.post('/user/repos', {})).status, 422);
    }
    forge.clock.advance(20_000);
    const refused = await user.post('/user/repos', {});
    assertKnownToClients(refused);
    assert.equal(refused.body.message, creationMessage);
    assert.equal(refused.headers['retry-after'], '40');
    assert.equal((await user.get('/user')).status, 200);
    assert.equal((await user.post('/no/such/thing', {})).status, 404);
    const other = await forge.user();
    assert.equal((await other.post('/user/repos', {})).status, 422);
    const again = await forge.withScopes(user, ['repo']);
    assert.equal((await again.post('/user/repos', {})).status, 403);
    forge.clock.advance(40_000);
    assert.equal((await user.post('/user/repos', {})).status, 422);
  });

  test('merging and inviting count as creation, other changes do not', async () => {
    const user = await forge.user();
    const name = await forge.repository(user);
    for (let turn = 0; turn < 90; turn += 1) {
      assert.equal((await user.patch(`/repos/${name}`, {})).status, 200);
    }
    for (let turn = 0; turn < 79; turn += 1) {
      const path = turn % 2 === 0 ? 'pulls/1/merge' : 'collaborators/nobody';
      assert.equal((await user.put(`/repos/${name}/${path}`)).status, 404);
    }
    assertKnownToClients(await user.put(`/repos/${name}/pulls/1/merge`));
  });

  test('statuses and git objects do not count as creation', async () => {
    const user = await forge.user();
    const name = await forge.repository(user, { init: true });
    for (let turn = 0; turn < 50; turn += 1) {
      for (const path of ['git/blobs', `statuses/${'0'.repeat(40)}`]) {
        assert.equal((await user.post(`/repos/${name}/${path}`, {})).status, 422);
      }
    }
    assert.equal((await user.post('/user/repos', {})).status, 422);
  });

  test('five hundred are allowed per hour, however they are spread', () => {
    const limits = createAbuseLimits();
    const minute = 60_000;
    for (let turn = 0; turn < 500; turn += 1) {
      assert.equal(limits.create('user 1', Math.floor(turn / 50) * minute), undefined);
    }
    assert.equal(limits.create('user 1', 10 * minute), 50 * 60);
    assert.equal(limits.create('user 1', 60 * minute), undefined);
  });

  test('more than a hundred requests at the same time are refused, until one ends', async () => {
    const host = await forge.listen();
    const user = await forge.user();
    const other = await forge.user();
    // Each waits for a body that does not come.
    const sockets = Array.from({ length: 110 }, () => unfinishedRequest(host, user.token));
    try {
      const refused = await requestUntil(403, () => {
        // Those that come while we ask for the hundredth are refused themselves, and others must take their turn.
        sockets.push(unfinishedRequest(host, user.token));
        return user.get('/user');
      });
      assertKnownToClients(refused);
      assert.equal(refused.headers['retry-after'], '60');
      assert.equal((await other.get('/user')).status, 200);
      for (const socket of sockets.slice(0, 20)) socket.destroy();
      await requestUntil(200, () => user.get('/user'));
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });

  test('nothing is slowed down when the operator says so', async () => {
    const calm = await startTestForge();
    try {
      const user = await calm.user();
      for (let turn = 0; turn < 90; turn += 1) {
        assert.equal((await user.post('/user/repos', {})).status, 422);
      }
    } finally {
      await calm.close();
    }
  });

  function unfinishedRequest(host: string, token: string): Socket {
    const { hostname, port } = new URL(`http://${host}`);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.write(
      `PATCH /user HTTP/1.1\r\nhost: ${host}\r\nuser-agent: t\r\nauthorization: token ${token}\r\ncontent-length: 9\r\n\r\n`,
    );
    return socket;
  }

  async function requestUntil(
    status: number,
    ask: () => Promise<TestResponse>,
  ): Promise<TestResponse> {
    for (let turn = 0; turn < 5000; turn += 1) {
      const response = await ask();
      if (response.status === status) return response;
      await new Promise((resolve) => setImmediate(resolve));
    }
    return assert.fail(`nothing answered ${status}`);
  }
});
