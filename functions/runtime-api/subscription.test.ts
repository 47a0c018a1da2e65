import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { parseSubscription } from './subscription.ts';

const destination = { protocol: 'HTTP', URI: 'http://sandbox.localdomain:8080/logs' };
const parse = (given: unknown) => parseSubscription(Buffer.from(JSON.stringify(given)));

describe('a subscription to telemetry', () => {
  test('has defaults for its buffer', () => {
    assert.deepEqual(parse({ types: ['platform', 'function'], destination }), {
      kinds: new Set(['platform', 'function']),
      destination: new URL(destination.URI),
      maxItems: 10_000,
      maxBytes: 262_144,
      timeoutMs: 1000,
    });
  });

  test('sets its buffer within the limits', () => {
    const types = ['extension'];
    const buffering = { maxItems: 1000, maxBytes: 1_048_576, timeoutMs: 25 };
    const read = parse({ types, destination, buffering });
    assert.deepEqual([read?.maxItems, read?.maxBytes, read?.timeoutMs], [1000, 1_048_576, 25]);
    for (const wrong of [
      { maxItems: 999 },
      { maxItems: 10_001 },
      { maxBytes: 262_143 },
      { timeoutMs: 24 },
      { timeoutMs: 30_001 },
      { timeoutMs: '25' },
    ]) {
      assert.equal(parse({ types, destination, buffering: wrong }), undefined);
    }
  });

  test('is delivered inside the sandbox only', () => {
    const to = (URI: unknown, protocol: unknown = 'HTTP') =>
      parse({ types: ['function'], destination: { protocol, URI } });
    assert.ok(to('http://sandbox:9000/'));
    for (const wrong of [
      'http://hob.test/',
      'http://127.0.0.1:8080/',
      'https://sandbox:9000/',
      'http://sandbox.localdomain.hob.test/',
      'http://hob.test@sandbox.test/',
      'sandbox',
      7,
      undefined,
    ]) {
      assert.equal(to(wrong), undefined, String(wrong));
    }
    assert.equal(to('http://sandbox:9000/', 'TCP'), undefined);
  });

  test('is none without types or with unknown ones', () => {
    for (const types of [undefined, [], 'platform', ['platform', 'other'], [7]]) {
      assert.equal(parse({ types, destination }), undefined);
    }
    assert.equal(parseSubscription(Buffer.from('{')), undefined);
    for (const given of [null, 7, 'text', []]) assert.equal(parse(given), undefined);
  });
});
