import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, test } from 'node:test';

import type { TestUser } from '#forge/testing/test-forge.ts';
import { createWebhookTargets } from '#functions/webhook-targets/webhook-targets.ts';
import { inLineage } from '#platform/invocation-lineage.ts';

import {
  connectServices,
  testBaseUrl,
  type ConnectedServices,
} from './testing/connected-services.ts';

const everybody = {
  StatementId: 'public',
  Action: 'lambda:InvokeFunctionUrl',
  Principal: '*',
  FunctionUrlAuthType: 'NONE',
} as const;
const unknownId = 'a'.repeat(32);
const secret = 'hush';

type Event = Record<string, unknown> & {
  readonly headers: Record<string, string>;
  readonly requestContext: Record<string, unknown>;
};

describe('webhooks to function URLs', () => {
  let services: ConnectedServices;
  let owner: TestUser;
  let serial = 0;
  before(async () => {
    services = await connectServices();
    owner = await services.forge.user('own');
  });
  after(() => services.close());

  /** A function with a URL, as its host and as its path. */
  async function withUrl(
    AuthType = 'NONE',
    more: Record<string, unknown> = {},
  ): Promise<FunctionWithUrl> {
    const { functions } = services;
    serial += 1;
    const FunctionName = `fn-${serial}`;
    await functions.create(FunctionName);
    const config = { FunctionName, AuthType, ...more };
    const { body } = await functions.call('CreateFunctionUrlConfig', config);
    await functions.call('AddPermission', { FunctionName, ...everybody });
    const id = new URL(body.FunctionUrl).host.split('.')[0] ?? '';
    return { FunctionName, url: body.FunctionUrl, path: `${testBaseUrl}/lambda-url/${id}/` };
  }

  interface FunctionWithUrl {
    readonly FunctionName: string;
    readonly url: string;
    readonly path: string;
  }

  /** A webhook of a repository of its own; its ping is delivered, and is the last event of its function. */
  async function hooked(url: string): Promise<string> {
    // Pending deliveries of other tests would be delivered at the same time.
    await services.deliver();
    const hooks = `/repos/${await services.forge.repository(owner)}/hooks`;
    const config = { url, content_type: 'json', secret };
    const created = await owner.post(hooks, { config, events: ['label'] });
    assert.equal(created.status, 201, created.text);
    await services.deliver();
    return `${hooks}/${created.body.id}`;
  }

  async function lastDelivery(hook: string): Promise<Record<string, any>> {
    const [{ id }] = (await owner.get(`${hook}/deliveries`)).body;
    return (await owner.get(`${hook}/deliveries/${id}`)).body;
  }

  async function ping(hook: string): Promise<Record<string, any>> {
    await owner.post(`${hook}/pings`);
    await services.deliver();
    return lastDelivery(hook);
  }

  function lastEvent(): Event {
    const payload = services.functions.environments.invoked.at(-1)?.event.payload;
    return JSON.parse(Buffer.from(payload ?? []).toString());
  }

  test('are refused for everything else on loopback', async () => {
    const { url, path } = await withUrl();
    const id = new URL(url).host.split('.')[0];
    const signed = await withUrl('AWS_IAM');
    const hooks = `/repos/${await services.forge.repository(owner)}/hooks`;
    const made = await owner.post(hooks, { config: { url } });
    for (const [refused, message] of [
      [`${testBaseUrl}/api/v3/user`, /loopback or private/],
      [`${testBaseUrl}/lambda-url`, /loopback or private/],
      [`${testBaseUrl}/lambda-url/`, /function URL that does not exist/],
      [`${testBaseUrl}/lambda-url/${unknownId}/`, /function URL that does not exist/],
      [url.replace(id ?? '', unknownId), /function URL that does not exist/],
      [url.replace(id ?? '', 'x'), /function URL that does not exist/],
      [`http://127.0.0.1:1/lambda-url/${id}/`, /loopback or private/],
      [`https://127.0.0.1:4711/lambda-url/${id}/`, /loopback or private/],
      [path.replace('127.0.0.1', '127.0.0.2'), /loopback or private/],
      [signed.url, /AuthType AWS_IAM.*AuthType to NONE/],
      [signed.path, /AuthType AWS_IAM/],
    ] as const) {
      const config = { url: refused };
      for (const response of [
        await owner.post(hooks, { config }),
        await owner.patch(`${hooks}/${made.body.id}`, { config }),
        await owner.patch(`${hooks}/${made.body.id}/config`, config),
      ]) {
        assert.equal(response.status, 422, `${refused} ${response.text}`);
        assert.match(response.body.errors[0].message, message, refused);
        assert.equal(response.body.errors[0].field, 'url');
      }
    }
    assert.equal((await owner.get(`${hooks}/${made.body.id}`)).body.config.url, url);
  });

  test('reach the function with the event that the request has over HTTP', async () => {
    const { url, path } = await withUrl();
    for (const target of [
      `${url}some/path?a=1`,
      `${path}some/path?a=1`,
      `${path.replace('127.0.0.1', 'localhost')}some/path?a=1`,
    ]) {
      const hook = await hooked(target);
      const inProcess = lastEvent();
      const delivery = await lastDelivery(hook);
      assert.deepEqual([delivery['event'], delivery['status_code']], ['ping', 200]);
      const { requestContext: context, headers, body } = inProcess;
      assert.ok(typeof body === 'string');
      const hash = createHmac('sha256', secret).update(body).digest('hex');
      assert.equal(headers['x-hub-signature-256'], `sha256=${hash}`);
      assert.equal(headers['x-github-event'], 'ping');
      assert.deepEqual(JSON.parse(body), delivery['request'].payload);
      const { host, pathname, search } = new URL(target);
      const sent = { ...delivery['request'].headers, host };
      await services.functions.send({
        method: 'POST',
        target: `${pathname}${search}`,
        headers: sent,
        body,
      });
      const overHttp = lastEvent();
      assert.notEqual(overHttp.requestContext['requestId'], context['requestId']);
      assert.deepEqual(comparable(inProcess), comparable(overHttp));
    }
  });

  /** Without what differs from request to request, and what a connection adds. */
  function comparable({ requestContext, headers, ...event }: Event): unknown {
    const { requestId: _id, time: _time, timeEpoch: _epoch, ...context } = requestContext;
    const { 'x-forwarded-port': _port, connection: _connection, ...rest } = headers;
    return { ...event, context, headers: rest };
  }

  test('carry the credentials of the URL on a host of its own, as over HTTP', async () => {
    const { url } = await withUrl();
    for (const [user, expected] of [
      ['ada:pass', 'ada:pass'],
      ['%C3%A4:p%40ss', 'ä:p@ss'],
      ['100%:x', '100%:x'],
    ] as const) {
      const targets = createWebhookTargets(services.functions.ports, (error) => {
        throw error;
      });
      const delivery = { headers: {}, body: Buffer.from('{}'), lineage: undefined };
      const posted = await targets.post(url.replace('http://', `http://${user}@`), delivery);
      assert.ok(posted.kind === 'response' && posted.status === 200);
      const [, sent = ''] = (lastEvent().headers['authorization'] ?? '').split(' ');
      assert.equal(Buffer.from(sent, 'base64').toString(), expected);
    }
  });

  test('record what the function answers, and follow no redirect', async () => {
    const { url } = await withUrl();
    const hook = await hooked(url);
    const { environments } = services.functions;
    const answers = (value: unknown): void =>
      environments.answer(() => ({
        kind: 'response',
        payload: Buffer.from(JSON.stringify(value)),
      }));
    try {
      const headers = { location: `${testBaseUrl}/api/v3/user`, 'x-own': 'yes' };
      answers({ statusCode: 302, headers, body: 'elsewhere' });
      const count = environments.invoked.length;
      const redirected = await ping(hook);
      assert.equal(environments.invoked.length, count + 1);
      assert.equal(redirected['status_code'], 302);
      assert.equal(redirected['status'], 'Invalid HTTP Response: 302');
      assert.equal(redirected['response'].payload, 'elsewhere');
      assert.equal(redirected['response'].headers['x-own'], 'yes');
      answers({ statusCode: 204, body: 'nothing that is sent' });
      const empty = await ping(hook);
      assert.deepEqual([empty['status_code'], empty['response'].payload], [204, '']);
      environments.answer(() => ({
        kind: 'failed',
        payload: Buffer.from('{}'),
        errorType: 'Error',
      }));
      const failed = await ping(hook);
      assert.deepEqual(
        [failed['status_code'], failed['response'].payload],
        [502, 'Internal Server Error'],
      );
    } finally {
      environments.answer(({ payload }) => ({ kind: 'response', payload }));
    }
  });

  test('read no more than the beginning of an endless response', async () => {
    const { url } = await withUrl('NONE', { InvokeMode: 'RESPONSE_STREAM' });
    const hook = await hooked(url);
    const { environments } = services.functions;
    const ended = Promise.withResolvers<void>();
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield Buffer.alloc(10_000, 'x');
      } finally {
        ended.resolve();
      }
    }
    try {
      environments.answer(() => ({
        kind: 'stream',
        body: endless(),
        contentType: 'text/plain',
        trailer: Promise.resolve(undefined),
      }));
      const delivery = await ping(hook);
      assert.equal(delivery['status_code'], 200);
      assert.equal(delivery['response'].payload, 'x'.repeat(64 * 1024));
      await ended.promise;
    } finally {
      environments.answer(({ payload }) => ({ kind: 'response', payload }));
    }
  });

  test('are refused at the seventeenth invocation of a function in a chain', async () => {
    const { url } = await withUrl();
    const hook = await hooked(url);
    const { environments } = services.functions;
    const trace = environments.invoked.at(-1)?.event.traceHeader ?? '';
    const mark = /Lineage=([0-9a-f]{8}):1$/.exec(trace)?.[1];
    assert.ok(mark !== undefined, trace);
    const count = environments.invoked.length;
    await inLineage(`${mark}:15`, () => ping(hook));
    assert.equal(environments.invoked.length, count + 1);
    assert.match(environments.invoked.at(-1)?.event.traceHeader ?? '', new RegExp(`${mark}:16$`));
    const refused = await inLineage(`${mark}:16`, () => ping(hook));
    assert.equal(environments.invoked.length, count + 1);
    assert.equal(refused['status_code'], 400);
    assert.match(refused['response'].payload, /Recursive loop: .* RecursiveLoop to Allow/);
  });

  test('fail readably when the function may no longer be called', async () => {
    const { functions } = services;
    const { FunctionName, url } = await withUrl();
    const hook = await hooked(url);
    await functions.call('RemovePermission', { FunctionName, StatementId: everybody.StatementId });
    const forbidden = await ping(hook);
    assert.equal(forbidden['status_code'], 403);
    assert.match(forbidden['response'].payload, /Forbidden/);
    await functions.call('UpdateFunctionUrlConfig', { FunctionName, AuthType: 'AWS_IAM' });
    const signed = await ping(hook);
    assert.deepEqual([signed['status_code'], signed['response'].payload], [0, '']);
    assert.match(signed['status'], /AuthType AWS_IAM/);
    await functions.call('DeleteFunction', { FunctionName });
    assert.match((await ping(hook))['status'], /function URL that does not exist/);
    assert.match((await owner.get(hook)).body.last_response.message, /does not exist/);
  });
});
