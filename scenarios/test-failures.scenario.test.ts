/** What tests hold back, and failures that they ask for (docs/testing-with-hob.md). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';

import {
  CreateFunctionCommand,
  GetFunctionConfigurationCommand,
  type LambdaClient,
  UpdateFunctionConfigurationCommand,
  waitUntilFunctionActiveV2,
  waitUntilFunctionUpdatedV2,
} from '@aws-sdk/client-lambda';

import {
  type HttpResponse,
  type ControlledServer,
  startControlledServer,
} from './controlled-server.ts';
import { clientOf, functionEnvironment, functionOf } from './function-service.ts';

describe('failures that tests ask for', { timeout: 240_000 }, () => {
  let server: ControlledServer;
  let client: LambdaClient;
  before(async () => {
    server = await startControlledServer({
      environment: { ...functionEnvironment, HOB_WEBHOOK_PRIVATE_TARGETS: 'on' },
    });
    client = clientOf(server.url);
  });
  after(async () => {
    client.destroy();
    await server.close();
  });
  beforeEach(async () => {
    assert.equal((await server.control('DELETE', '/faults')).status, 204);
    assert.equal((await server.control('POST', '/release')).status, 204);
  });

  const fault = async (input: object): Promise<void> => {
    assert.equal((await server.control('POST', '/faults', input)).status, 204);
  };
  const hold = async (input: object): Promise<void> => {
    assert.equal((await server.control('POST', '/hold', input)).status, 204);
  };
  const user = (): Promise<HttpResponse> => server.api('GET', '/users/root');

  it('the next responses of a path are an exceeded rate limit, and of no other', async () => {
    await fault({ kind: 'rate-limit', path: '/users/*', times: 2 });
    assert.equal((await server.api('GET', '/user')).status, 200);
    for (let times = 0; times < 2; times += 1) {
      const { status, headers, body } = await user();
      assert.equal(status, 403);
      assert.match(body.message, /^API rate limit exceeded/);
      assert.equal(headers.get('x-ratelimit-remaining'), '0');
      assert.ok(Number(headers.get('x-ratelimit-reset')) > 0);
    }
    assert.equal((await user()).status, 200);
  });

  it('abuse, internal error and bad gateway come in the order in which they were asked for', async () => {
    await fault({ kind: 'abuse', path: '/users/root', method: 'GET', seconds: 7 });
    await fault({ kind: 'internal-error', path: '/users/root' });
    await fault({ kind: 'bad-gateway', path: '/api/v3/users/root' });
    assert.equal((await server.control('GET', '/faults')).body.length, 3);
    const abuse = await user();
    assert.deepEqual([abuse.status, abuse.headers.get('retry-after')], [403, '7']);
    assert.match(abuse.body.message, /secondary rate limit/);
    assert.deepEqual([(await user()).status, (await user()).status], [500, 502]);
    assert.equal((await user()).status, 200);
  });

  it('a connection is cut, and a slow response comes all the same', async () => {
    await fault({ kind: 'cut', path: '/users/root' });
    await assert.rejects(user());
    await fault({ kind: 'slow', path: '/users/root', seconds: 1 });
    const began = performance.now();
    assert.equal((await user()).status, 200);
    assert.ok(performance.now() - began >= 990);
  });

  it('refuses failures that there are not', async () => {
    for (const wrong of [
      {},
      { kind: 'flood' },
      { kind: 'cut', times: 0 },
      { kind: 'cut', path: 'users' },
    ]) {
      assert.equal((await server.control('POST', '/faults', wrong)).status, 422);
    }
    assert.equal((await server.control('POST', '/hold', {})).status, 422);
    const missing = await server.control('POST', '/hold', { mergeability: 'root/never' });
    assert.equal(missing.status, 404);
    const code = { function: 'worker', code: 'Tired' };
    assert.equal((await server.control('POST', '/fail-update', code)).status, 422);
  });

  it('the mergeability of a repository stays null until it is released', async () => {
    const repository = '/repos/root/held';
    await server.api('POST', '/user/repos', { name: 'held', auto_init: true });
    const { body: ref } = await server.api('GET', `${repository}/git/ref/heads/main`);
    const branch = { ref: 'refs/heads/topic', sha: ref.object.sha };
    assert.equal((await server.api('POST', `${repository}/git/refs`, branch)).status, 201);
    const file = { message: 'm', content: 'eA==', branch: 'topic' };
    await server.api('PUT', `${repository}/contents/x.txt`, file);
    await hold({ mergeability: 'root/held' });
    const pull = { title: 'x', head: 'topic', base: 'main' };
    const { body: opened } = await server.api('POST', `${repository}/pulls`, pull);
    const path = `${repository}/pulls/${opened.number}`;
    const mergeable = async (): Promise<boolean | null> =>
      (await server.api('GET', path)).body.mergeable;
    // A snapshot waits for the background work, which has looked at the pull by then.
    const looked = await server.control('POST', '/snapshot', { name: 'looked' });
    if (looked.status !== 501) assert.equal(looked.status, 204);
    assert.equal(await mergeable(), null);
    assert.equal(await mergeable(), null);
    await server.control('POST', '/release', { mergeability: 'root/held' });
    let known = await mergeable();
    while (known === null) known = await mergeable();
    assert.equal(known, true);
  });

  it('deliveries wait until they are released', async () => {
    let received = 0;
    const receiver: Server = createServer((request, response) => {
      received += 1;
      request.resume().on('end', () => {
        response.end();
        receiver.emit('received');
      });
    });
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    try {
      await hold({ deliveries: true });
      await server.api('POST', '/user/repos', { name: 'hooked', auto_init: true });
      const { port } = receiver.address() as AddressInfo;
      const config = { url: `http://127.0.0.1:${port}/` };
      await server.api('POST', '/repos/root/hooked/hooks', { config, events: ['push'] });
      // Whoever looks at the deliveries finds none: they begin with the release.
      await server.control('POST', '/clock/advance', { seconds: 60 });
      assert.equal(received, 0);
      const first = once(receiver, 'received');
      await server.control('POST', '/release', { deliveries: true });
      await first;
    } finally {
      receiver.close();
      receiver.closeAllConnections();
    }
  });

  it('an update of a function stays InProgress until it is released, and fails with a given reason', async () => {
    const FunctionName = 'worker';
    const patience = { client, maxWaitTime: 60, minDelay: 1, maxDelay: 1 };
    const code = { 'index.mjs': 'export const handler = async () => 1;' };
    await client.send(new CreateFunctionCommand(functionOf(FunctionName, code)));
    await waitUntilFunctionActiveV2(patience, { FunctionName });
    const update = (Description: string) =>
      client.send(new UpdateFunctionConfigurationCommand({ FunctionName, Description }));
    const read = () => client.send(new GetFunctionConfigurationCommand({ FunctionName }));

    await hold({ update: FunctionName });
    await update('held');
    const looked = await server.control('POST', '/snapshot', { name: 'looked' });
    if (looked.status !== 501) assert.equal(looked.status, 204);
    assert.equal((await read()).LastUpdateStatus, 'InProgress');
    await server.control('POST', '/release', { update: FunctionName });
    await waitUntilFunctionUpdatedV2(patience, { FunctionName });

    const reason = { function: FunctionName, code: 'EniLimitExceeded', message: 'No ENI is left.' };
    assert.equal((await server.control('POST', '/fail-update', reason)).status, 204);
    await update('fails');
    await assert.rejects(waitUntilFunctionUpdatedV2(patience, { FunctionName }));
    const failed = await read();
    assert.equal(failed.LastUpdateStatus, 'Failed');
    assert.equal(failed.LastUpdateStatusReasonCode, 'EniLimitExceeded');
    assert.equal(failed.LastUpdateStatusReason, 'No ENI is left.');
    await update('works');
    await waitUntilFunctionUpdatedV2(patience, { FunctionName });
  });
});
