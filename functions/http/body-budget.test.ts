import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { after, before, describe, it } from 'node:test';

import { createTestFunctions, type TestFunctions } from '../testing/test-functions.ts';

const mebibyte = 1024 * 1024;
const invocation = '/2015-03-31/functions/f/invocations';

describe('bodies of requests', () => {
  let functions: TestFunctions;
  let port: string;
  let urlHost: string;
  before(async () => {
    functions = await createTestFunctions();
    ({ port } = new URL(await functions.listen()));
    await functions.create('f');
    const config = { FunctionName: 'f', AuthType: 'NONE' };
    const { body } = await functions.call('CreateFunctionUrlConfig', config);
    urlHost = new URL(body.FunctionUrl).host;
    await functions.call('AddPermission', {
      FunctionName: 'f',
      StatementId: 'url',
      Action: 'lambda:InvokeFunctionUrl',
      Principal: '*',
      FunctionUrlAuthType: 'NONE',
    });
  });
  after(() => functions.close());

  /** A request whose body is announced. */
  function announce(
    path: string,
    headers: Record<string, string | number>,
    localAddress = '127.0.0.1',
  ): ClientRequest {
    const options = { host: '127.0.0.1', port, method: 'POST', path, headers, agent: false };
    const sent = request({ ...options, localAddress });
    sent.on('error', () => {});
    sent.flushHeaders();
    return sent;
  }

  interface HttpResponse {
    readonly status: number | undefined;
    readonly text: string;
    readonly headers: IncomingMessage['headers'];
  }

  async function answerOf(sent: ClientRequest): Promise<HttpResponse> {
    const [response] = await once(sent, 'response');
    const text = (await response.setEncoding('utf8').toArray()).join('');
    return { status: response.statusCode, text, headers: response.headers };
  }

  /** A request that the server waits for the body of. */
  async function hold(
    headers: Record<string, string | number>,
    localAddress?: string,
  ): Promise<ClientRequest> {
    const sent = announce(invocation, { ...headers, expect: '100-continue' }, localAddress);
    await once(sent, 'continue');
    return sent;
  }

  async function refusedNow(sent: ClientRequest, whose: RegExp): Promise<void> {
    const { status, text, headers } = await answerOf(sent);
    sent.destroy();
    assert.equal(status, 429, text);
    assert.equal(headers['retry-after'], '1');
    assert.equal(headers['x-amzn-errortype'], 'TooManyRequestsException');
    assert.match(text, whose);
  }

  /** The server learns of an end when its turn comes. */
  async function untilTaken(length: number, localAddress?: string): Promise<void> {
    for (let attempt = 0; attempt < 1000; attempt += 1) {
      const sent = announce(invocation, { 'content-length': length }, localAddress);
      sent.end(`"${'x'.repeat(length - 2)}"`);
      const { status } = await answerOf(sent);
      if (status === 200) return;
      assert.equal(status, 429);
    }
    assert.fail('No body was taken again.');
  }

  it('are bounded for one caller, and together for all', { timeout: 120_000 }, async () => {
    const held: ClientRequest[] = [];
    try {
      // Each counts with the maximum of its operation, 6 MiB, which 42 of one caller fit in.
      for (let count = 0; count < 42; count += 1) {
        held.push(await hold({ 'transfer-encoding': 'chunked' }));
      }
      for (const headers of [{ 'content-length': 6 * mebibyte }, { 'content-length': 1e12 }]) {
        await refusedNow(announce(invocation, headers), /of this caller/);
      }
      // A small one is not counted.
      await untilTaken(100);
      for (let count = 0; count < 42; count += 1) {
        held.push(await hold({ 'content-length': 6 * mebibyte }, '127.0.0.2'));
      }
      for (const address of ['127.0.0.3', '127.0.0.4']) {
        await untilTaken(5 * mebibyte, address);
      }
      held.push(await hold({ 'content-length': 6 * mebibyte }, '127.0.0.3'));
      const overUrl = { host: urlHost, 'content-length': 6 * mebibyte };
      await refusedNow(announce('/', overUrl, '127.0.0.4'), /of all callers/);
    } finally {
      for (const sent of held) sent.destroy();
    }
    await untilTaken(6 * mebibyte);
  });
});
