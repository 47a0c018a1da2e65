/** A server that gets SIGTERM, as its clients see it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { json } from 'node:stream/consumers';

import { removeFolder, type RunningServer, startServer } from './running-server.ts';

interface HttpResponse {
  readonly status: number | undefined;
  readonly connection: string | undefined;
  // oxlint-disable-next-line typescript/no-explicit-any -- the tests say what is in it
  readonly body: any;
}

describe('a server that gets SIGTERM', { timeout: 120_000 }, () => {
  let folder: string;
  let server: RunningServer | undefined;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-stop-'));
  });
  afterEach(async () => {
    // One that a failed test has left.
    await server?.kill();
    await removeFolder(folder);
  });

  it('says that it is not ready, finishes what is under way, and refuses connections last', async () => {
    server = await startServer(join(folder, 'data'));
    const { sent, answered } = await beginCreation(server, 'under-way');
    const stopped = server.stop();
    await untilNotReady(server);
    // New connections are still taken, and asked to retry.
    const refused = await get(server, '/api/v3/user');
    assert.deepEqual([refused.status, refused.connection], [503, 'close']);
    assert.match(refused.body.message, /stopping/);
    sent.end('way"}');
    const { status, body } = await answerOf(await answered);
    assert.deepEqual([status, body.name], [201, 'under-way']);
    assert.equal(await stopped, 0, server.output());
    await assert.rejects(get(server, '/readyz'), { code: 'ECONNREFUSED' });
  });

  it('serves on for as long as a load balancer takes to notice', async () => {
    server = await startServer(join(folder, 'data'), {
      environment: { HOB_STOP_DELAY_SECONDS: '600' },
    });
    assert.equal((await get(server, '/readyz')).status, 200);
    const stopped = server.stop();
    assert.deepEqual((await untilNotReady(server)).body, { status: 'stopping' });
    const served = await get(server, '/api/v3/user');
    assert.deepEqual([served.status, served.connection], [200, 'close']);
    assert.equal(served.body.login, server.login);
    // A second signal ends it at once.
    process.kill(server.pid, 'SIGTERM');
    assert.equal(await stopped, 130);
  });
});

/** Sends the first half of a request whose second half is to end in `way"}`. */
async function beginCreation(
  { url, token }: RunningServer,
  name: string,
): Promise<{ sent: ClientRequest; answered: Promise<IncomingMessage> }> {
  const body = JSON.stringify({ name });
  const sent = request(`${url}/api/v3/user/repos`, {
    method: 'POST',
    headers: {
      ...headersOf(token),
      'content-type': 'application/json',
      'content-length': body.length,
      // The response to this says that the request is under way.
      expect: '100-continue',
    },
  });
  const answered = once(sent, 'response').then(([response]) => response);
  const started = once(sent, 'continue');
  sent.flushHeaders();
  await started;
  sent.write(body.slice(0, -'way"}'.length));
  return { sent, answered };
}

async function untilNotReady(server: RunningServer): Promise<HttpResponse> {
  for (;;) {
    const response = await get(server, '/readyz');
    if (response.status === 503) return response;
  }
}

/** Over a connection of its own. */
async function get({ url, token }: RunningServer, path: string): Promise<HttpResponse> {
  const sent = request(`${url}${path}`, { agent: false, headers: headersOf(token) });
  sent.end();
  const [response] = await once(sent, 'response');
  return answerOf(response);
}

function headersOf(token: string): Record<string, string> {
  return { authorization: `token ${token}`, 'user-agent': 'scenario' };
}

async function answerOf(response: IncomingMessage): Promise<HttpResponse> {
  const { statusCode: status, headers } = response;
  return { status, connection: headers.connection, body: await json(response) };
}
