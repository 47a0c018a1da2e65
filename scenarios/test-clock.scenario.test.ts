/** The clock of a server with test controls (docs/testing-with-hob.md). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';

import {
  CreateFunctionCommand,
  InvokeCommand,
  ListFunctionsCommand,
  waitUntilFunctionActiveV2,
} from '@aws-sdk/client-lambda';

import { type ControlledServer, startControlledServer } from './controlled-server.ts';
import { clientOf, functionEnvironment, functionOf } from './function-service.ts';

const noon = '2030-01-01T12:00:00.000Z';

/** Reports each attempt to the forge, and fails in the first. */
const triesTwice = `
let tries = 0;
export const handler = async () => {
  tries += 1;
  const { GITHUB_API_URL, TOKEN, SHA } = process.env;
  const answer = await fetch(GITHUB_API_URL + '/repos/root/tried/statuses/' + SHA, {
    method: 'POST',
    headers: { authorization: 'token ' + TOKEN, 'user-agent': 'tries' },
    body: JSON.stringify({ state: 'success', context: 'try ' + tries }),
  });
  if (!answer.ok || tries === 1) throw new Error('Once more: ' + answer.status);
};`;

describe('the clock of a server with test controls', { timeout: 180_000 }, () => {
  let server: ControlledServer;
  let receiver: Server;
  /** What the receiver got so far, and what it answers next. */
  let received = 0;
  let status = 500;
  before(async () => {
    receiver = createServer((request, response) => {
      request.resume().on('end', () => {
        response.writeHead(status).end();
        received += 1;
        receiver.emit('received');
      });
    });
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    server = await startControlledServer({
      environment: {
        HOB_RATE_LIMIT_ANONYMOUS: '2',
        // While the clock stands, no window of the limit ends.
        HOB_RATE_LIMIT_USER: '1000000',
        HOB_WEBHOOK_PRIVATE_TARGETS: 'on',
        ...functionEnvironment,
      },
    });
  });
  after(async () => {
    await server.close();
    receiver.close();
    receiver.closeAllConnections();
  });

  const now = async (): Promise<number> =>
    Date.parse((await server.control('GET', '/clock')).body.now);
  const stopClock = async (at: string): Promise<void> => {
    const { body } = await server.control('PUT', '/clock', { now: at });
    assert.deepEqual(body, { now: at, running: false });
  };
  const advance = async (seconds: number): Promise<void> => {
    assert.equal((await server.control('POST', '/clock/advance', { seconds })).status, 200);
  };

  it('stands still, goes forward, runs on and is released', async () => {
    await stopClock(noon);
    const created = await server.api('POST', '/user/repos', { name: 'dated', auto_init: true });
    assert.equal(created.body.created_at, '2030-01-01T12:00:00Z');
    const [{ commit }] = (await server.api('GET', '/repos/root/dated/commits')).body;
    assert.equal(commit.committer.date, '2030-01-01T12:00:00Z');
    await advance(90);
    assert.equal(await now(), Date.parse(noon) + 90_000);
    const running = await server.control('PUT', '/clock', { now: noon, running: true });
    assert.equal(running.body.running, true);
    assert.ok((await now()) >= Date.parse(noon));
    await server.control('DELETE', '/clock');
    assert.ok((await now()) < Date.parse(noon));
  });

  it('ends windows of rate limits', async () => {
    await stopClock(noon);
    const ask = async (): Promise<number> =>
      (await server.api('GET', '/users/root', undefined, '')).status;
    assert.deepEqual([await ask(), await ask(), await ask()], [200, 200, 403]);
    await advance(3599);
    assert.equal(await ask(), 403);
    await advance(2);
    assert.equal(await ask(), 200);
  });

  it('has deliveries repeated at once that are due by then', async () => {
    await stopClock(noon);
    await server.api('POST', '/user/repos', { name: 'hooked', auto_init: true });
    const { port } = receiver.address() as AddressInfo;
    const first = once(receiver, 'received');
    const hook = await server.api('POST', '/repos/root/hooked/hooks', {
      config: { url: `http://127.0.0.1:${port}/`, content_type: 'json' },
      events: ['push'],
    });
    assert.equal(hook.status, 201);
    await first;
    const deliveries = `/repos/root/hooked/hooks/${hook.body.id}/deliveries`;
    // The failure is in the list when it is stored with the time of the next attempt.
    let listed: { status_code: number }[] = [];
    while (listed.length === 0) {
      listed = (await server.api('GET', deliveries)).body.filter(
        (delivery: { status_code: number }) => delivery.status_code === 500,
      );
    }
    const soFar = received;
    status = 204;
    const second = once(receiver, 'received');
    await advance(86_400);
    await second;
    assert.equal(received, soFar + 1);
  });

  it('has a failed asynchronous event run again that is due by then', async () => {
    await stopClock(noon);
    await server.api('POST', '/user/repos', { name: 'tried', auto_init: true });
    const { body: ref } = await server.api('GET', '/repos/root/tried/git/ref/heads/main');
    const statuses = `/repos/root/tried/commits/${ref.object.sha}/statuses`;
    const tries = async (): Promise<number> => (await server.api('GET', statuses)).body.length;
    const client = clientOf(server.url);
    try {
      const FunctionName = 'tries';
      const Variables = { TOKEN: server.token, SHA: ref.object.sha };
      const code = functionOf(
        FunctionName,
        { 'index.mjs': triesTwice },
        { Environment: { Variables } },
      );
      await client.send(new CreateFunctionCommand(code));
      await waitUntilFunctionActiveV2({ client, maxWaitTime: 60 }, { FunctionName });
      await client.send(new InvokeCommand({ FunctionName, InvocationType: 'Event' }));
      while ((await tries()) < 1);
      // The clock stands: only these steps make the second attempt due, a minute after the first has failed.
      for (let steps = 0; steps < 200 && (await tries()) < 2; steps += 1) await advance(60);
      assert.equal(await tries(), 2);
    } finally {
      client.destroy();
    }
  });

  it('does not outdate signatures of clients, whose clocks stand elsewhere', async () => {
    await stopClock('2040-01-01T00:00:00.000Z');
    const client = clientOf(server.url);
    try {
      const { $metadata } = await client.send(new ListFunctionsCommand({}));
      assert.deepEqual([$metadata.httpStatusCode, $metadata.attempts], [200, 1]);
    } finally {
      client.destroy();
    }
  });

  it('ends locks and windows that began ahead, when it is set back', async () => {
    await stopClock('2100-01-01T00:00:00.000Z');
    const ask = async (): Promise<number> =>
      (await server.api('GET', '/users/root', undefined, '')).status;
    while ((await ask()) === 200);
    assert.equal(await ask(), 403);
    await server.control('DELETE', '/clock');
    assert.equal(await ask(), 200);
  });

  it('refuses times that are none, and to go back', async () => {
    for (const wrong of ['yesterday', '', '10000-01-01T00:00:00Z', -1, 1e300, null]) {
      assert.equal((await server.control('PUT', '/clock', { now: wrong })).status, 422);
    }
    for (const seconds of [-1, 1e300, '60', null]) {
      assert.equal((await server.control('POST', '/clock/advance', { seconds })).status, 422);
    }
  });
});
