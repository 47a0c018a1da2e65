import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { FunctionTargets, PostResult } from '../ports/function-targets.ts';
import { postToFunction, type FunctionDeliveryRequest } from './send-to-function.ts';

const patient = 60_000;

function deliveryRequest(changed: Partial<FunctionDeliveryRequest> = {}): FunctionDeliveryRequest {
  return {
    url: 'http://function.test/',
    headers: {},
    body: Buffer.from('{}'),
    lineage: undefined,
    timeoutMilliseconds: patient,
    signal: new AbortController().signal,
    ...changed,
  };
}

function targets(post: () => Promise<PostResult>): FunctionTargets {
  return {
    check: async () => ({ kind: 'allowed' }),
    post,
    enqueue: async () => ({ kind: 'refused', reason: 'not asked for' }),
  };
}

const never = targets(() => Promise.withResolvers<PostResult>().promise);

describe('a delivery to a function', () => {
  test('is left to the network when the URL is none of a function', async () => {
    const elsewhere = targets(async () => ({ kind: 'elsewhere' }));
    assert.equal(await postToFunction(elsewhere, deliveryRequest()), undefined);
  });

  test('times out when the function does not answer, as over HTTP', async () => {
    const received = await postToFunction(never, deliveryRequest({ timeoutMilliseconds: 1 }));
    assert.deepEqual(received, { code: 0, status: 'timed out', headers: {}, body: '' });
  });

  test('times out when the response does not end', async () => {
    const open = Promise.withResolvers<never>();
    async function* unending(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('begin');
      await open.promise;
    }
    const streaming = targets(async () => ({
      kind: 'response',
      status: 200,
      headers: {},
      body: unending(),
    }));
    const received = await postToFunction(streaming, deliveryRequest({ timeoutMilliseconds: 1 }));
    assert.equal(received?.status, 'timed out');
  });

  test('fails when the function breaks off its response', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('begin');
      throw new Error('the function has ended');
    }
    const streaming = targets(async () => ({
      kind: 'response',
      status: 200,
      headers: {},
      body: broken(),
    }));
    const received = await postToFunction(streaming, deliveryRequest());
    assert.deepEqual(received, {
      code: 0,
      status: 'the function did not complete its response',
      headers: {},
      body: '',
    });
  });

  test('stores the response headers that fit in 16 KiB, each whole', async () => {
    async function* empty(): AsyncGenerator<Uint8Array> {}
    const fitting = { 'x-fits': 'x'.repeat(16 * 1024 - 'x-fits'.length - 1), y: '' };
    const verbose = targets(async () => ({
      kind: 'response',
      status: 200,
      headers: { 'x-bytes': '\u00E9'.repeat(8 * 1024), ...fitting, z: '' },
      body: empty(),
    }));
    const received = await postToFunction(verbose, deliveryRequest());
    assert.deepEqual(received, { code: 200, status: 'OK', headers: fitting, body: '' });
  });

  test('ends with the server, and is no attempt', async () => {
    const stop = new AbortController();
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    const waiting = targets(() => {
      resolve();
      return Promise.withResolvers<PostResult>().promise;
    });
    const posted = postToFunction(waiting, deliveryRequest({ signal: stop.signal }));
    await asked;
    stop.abort();
    await assert.rejects(posted, { name: 'AbortError' });
  });
});
