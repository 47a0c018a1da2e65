import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { text } from 'node:stream/consumers';

import { FunctionsError } from '../errors/functions-error.ts';
import { createTestFunctions, type TestFunctions } from '../testing/test-functions.ts';
import { createTestHomes, otherResponse, type TestHomes } from '../testing/test-homes.ts';
import { integrationType } from '../urls/http-response.ts';
import { createWebhookTargets, type WebhookTargets } from './webhook-targets.ts';

describe('webhooks to function URLs on several servers', () => {
  let homes: TestHomes;
  let functions: TestFunctions;
  let targets: WebhookTargets;
  const errors: unknown[] = [];
  const urls = new Map<string, string>();
  const delivery = { headers: { 'X-GitHub-Event': 'ping' }, body: Buffer.from('{}') };
  before(async () => {
    homes = createTestHomes();
    functions = await createTestFunctions({ homes });
    for (const FunctionName of ['here', 'there']) {
      await functions.create(FunctionName);
      const config = { FunctionName, AuthType: 'NONE' };
      const { body } = await functions.call('CreateFunctionUrlConfig', config);
      urls.set(FunctionName, body.FunctionUrl);
      await functions.call('AddPermission', {
        FunctionName,
        StatementId: 'public',
        Action: 'lambda:InvokeFunctionUrl',
        Principal: '*',
        FunctionUrlAuthType: 'NONE',
      });
    }
    homes.own('here');
    targets = createWebhookTargets(functions.ports, (error) => errors.push(error));
  });
  after(() => functions.close());

  async function post(name: string, lineage?: string) {
    const posted = await targets.post(`${urls.get(name)}path?a=b`, { ...delivery, lineage });
    if (posted.kind !== 'response') return assert.fail(posted.kind);
    return { status: posted.status, body: await text(posted.body), headers: posted.headers };
  }

  it('are answered by the home of the function, and continue their chain there', async () => {
    assert.deepEqual(await post('there', '0a1b2c3d:2'), {
      status: 299,
      body: otherResponse,
      headers: { 'x-home': 'other' },
    });
    const [request] = homes.posted;
    assert.ok(request);
    const { host, href } = new URL(`${urls.get('there')}path?a=b`);
    assert.equal(request.address.href, href);
    assert.deepEqual(request.headers, {
      host,
      'x-github-event': 'ping',
      'x-amzn-trace-id': 'Lineage=0a1b2c3d:2',
    });
    assert.deepEqual([request.lineage, request.body.toString()], ['0a1b2c3d:2', '{}']);
    assert.equal(functions.environments.invoked.length, 0);
    await post('there');
    assert.equal(homes.posted[1]?.headers['x-amzn-trace-id'], undefined);
  });

  it('are answered here where the home is this server', async () => {
    const count = homes.posted.length;
    assert.equal((await post('here')).status, 200);
    assert.deepEqual([functions.environments.invoked.length, homes.posted.length], [1, count]);
  });

  it('read what a function streams to its end, also if the response has no content', async () => {
    await functions.call('UpdateFunctionUrlConfig', {
      FunctionName: 'here',
      InvokeMode: 'RESPONSE_STREAM',
    });
    const ended = Promise.withResolvers<void>();
    functions.environments.answer(() => ({
      kind: 'stream',
      contentType: integrationType,
      body: (async function* () {
        yield Buffer.from('{"statusCode":204}\0\0\0\0\0\0\0\0content');
        yield Buffer.from('more content');
        ended.resolve();
      })(),
      trailer: Promise.resolve(undefined),
    }));
    const { status, body } = await post('here');
    assert.deepEqual([status, body], [204, '']);
    await ended.promise;
  });

  it('show that the home is unavailable', async () => {
    const details = { status: 503, retryAfterSeconds: 1 };
    homes.failWith(new FunctionsError('ServiceException', 'Unavailable.', details));
    const { status, body } = await post('there');
    homes.failWith(undefined);
    assert.equal(status, 503);
    assert.match(body, /Unavailable/);
    assert.equal(errors.length, 1);
  });
});
