import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { after, before, describe, it } from 'node:test';

import type { FunctionOutcome } from '../environments/execution-environment.ts';
import { createTestFunctions, type TestFunctions } from '../testing/test-functions.ts';
import { integrationType } from '../urls/http-response.ts';

const error = {
  type: 'Sandbox.Timedout',
  payload: Buffer.from('{"errorType":"Sandbox.Timedout","errorMessage":"Task timed out"}'),
};
const prelude = '{"statusCode":201}\0\0\0\0\0\0\0\0';

describe('a streamed response that ends with an error', () => {
  let functions: TestFunctions;
  let port: string;
  before(async () => {
    functions = await createTestFunctions();
    ({ port } = new URL(await functions.listen()));
    await functions.create('f');
  });
  after(() => functions.close());

  /** As an environment that reaches the timeout after these pieces. */
  function failAfter(pieces: readonly string[], contentType = 'text/plain'): void {
    functions.environments.answer((): FunctionOutcome => {
      async function* body(): AsyncGenerator<Uint8Array> {
        for (const piece of pieces) yield Buffer.from(piece);
      }
      return { kind: 'stream', body: body(), contentType, trailer: Promise.resolve(error) };
    });
  }

  async function url(InvokeMode: string): Promise<string> {
    const FunctionName = `url-${InvokeMode}`.toLowerCase();
    await functions.create(FunctionName);
    const { body } = await functions.call('CreateFunctionUrlConfig', {
      FunctionName,
      AuthType: 'NONE',
      InvokeMode,
    });
    await functions.call('AddPermission', {
      FunctionName,
      StatementId: 'url',
      Action: 'lambda:InvokeFunctionUrl',
      Principal: '*',
      FunctionUrlAuthType: 'NONE',
    });
    return new URL(body.FunctionUrl).host;
  }

  interface Received {
    readonly status: number | undefined;
    readonly text: string;
    /** Whether the end of the response came. */
    readonly complete: boolean;
  }

  async function get(host: string): Promise<Received> {
    const sent = request({ host: '127.0.0.1', port, headers: { host }, agent: false });
    sent.end();
    const [response] = await once(sent, 'response');
    let text = '';
    response.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    response.on('error', () => {});
    await new Promise((resolve) => response.once('close', resolve));
    return { status: response.statusCode, text, complete: response.complete };
  }

  it('is a failure of the invocation where the caller does not stream', async () => {
    failAfter(['hello']);
    const answer = await functions.call('Invoke', { FunctionName: 'f', Payload: '{}' });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['x-amz-function-error'], 'Unhandled');
    assert.equal(answer.text, error.payload.toString());
  });

  it('is tried again for an asynchronous event', async () => {
    failAfter(['hello']);
    const count = functions.environments.invoked.length;
    await functions.call('Invoke', { FunctionName: 'f', InvocationType: 'Event', Payload: '{}' });
    for (let attempt = 0; attempt < 4; attempt += 1) {
      await functions.ports.events.poll();
      functions.clock.advance(600_000);
    }
    assert.equal(functions.environments.invoked.length - count, 3);
  });

  it('is 502 at a function URL that buffers responses', async () => {
    const host = await url('BUFFERED');
    failAfter(['{"statusCode":200}']);
    const plain = await get(host);
    assert.deepEqual(
      [plain.status, plain.text, plain.complete],
      [502, 'Internal Server Error', true],
    );
    failAfter([prelude, 'hello'], integrationType);
    assert.equal((await get(host)).status, 502);
  });

  it('is 502 at a function URL that streams, if it fails before its first piece', async () => {
    const host = await url('RESPONSE_STREAM');
    for (const [pieces, type] of [
      [[], 'text/plain'],
      [[], integrationType],
      [['{"statusCode":'], integrationType],
      [[prelude], integrationType],
    ] as const) {
      failAfter(pieces, type);
      const { status, text, complete } = await get(host);
      assert.deepEqual([status, text, complete], [502, 'Internal Server Error', true]);
    }
  });

  it('is cut off after that, so that the client sees it', async () => {
    const { FunctionUrl } = (
      await functions.call('GetFunctionUrlConfig', { FunctionName: 'url-response_stream' })
    ).body;
    const { host } = new URL(FunctionUrl);
    failAfter(['hello']);
    assert.deepEqual(await get(host), { status: 200, text: 'hello', complete: false });
    failAfter([prelude, 'hello'], integrationType);
    assert.deepEqual(await get(host), { status: 201, text: 'hello', complete: false });
  });
});
