import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TLSSocket } from 'node:tls';

import { createLog } from '#platform/log.ts';
import { OperatorError } from '#platform/operator-error.ts';

import { listenForPeers, type PeerListener } from './peers.ts';

const refuse = (socket: TLSSocket): unknown => socket.destroy();

describe('the address of a node', () => {
  const logged: object[] = [];

  /** Listens where the name leads to these addresses, one attempt after the other, and to the last one from then on. */
  async function listenAt(
    host: string,
    found: readonly (string | { readonly code: string })[],
  ): Promise<{ readonly listener: PeerListener; readonly lookUps: number }> {
    logged.length = 0;
    let lookUps = 0;
    const listener = await listenForPeers({
      address: `${host}:0`,
      keys: {
        derive: () => assert.fail('No node connects.'),
        deriveFrom: () => assert.fail('No node connects.'),
      },
      log: Object.assign(createLog('silent'), {
        info: (details: object) => logged.push(details),
      }),
      accept: {
        'http/1.1': refuse,
        'hob-git': refuse,
        'hob-git-shard': refuse,
        'hob-node': refuse,
      },
      retryMilliseconds: 1,
      async lookUp() {
        const next = found[Math.min(lookUps, found.length - 1)] ?? assert.fail('No address.');
        lookUps += 1;
        if (typeof next === 'string') return [{ address: next }];
        throw Object.assign(new Error(next.code), next);
      },
    });
    await listener.close();
    return { listener, lookUps };
  }

  const unknown = { code: 'ENOTFOUND' };
  /** Of no machine (RFC 5737). */
  const elsewhere = '192.0.2.1';

  it('is looked up again while its name is new, or leads to a former machine', async () => {
    const { listener, lookUps } = await listenAt('hob-0.hob-nodes', [
      unknown,
      { code: 'EAI_AGAIN' },
      elsewhere,
      '127.0.0.1',
    ]);
    assert.match(listener.address, /^hob-0\.hob-nodes:[1-9]\d*$/);
    assert.equal(lookUps, 4);
    assert.deepEqual(logged, [{ address: 'hob-0.hob-nodes:0', code: 'ENOTFOUND' }]);
  });

  it('is refused in the end, with what was waited for in the log', async () => {
    await assert.rejects(listenAt('nobody.test', [unknown]), (error) => {
      assert.ok(error instanceof OperatorError);
      assert.match(error.message, /^The host of --node-address nobody\.test:0 is not known\./);
      return true;
    });
    assert.equal(logged.length, 4);
  });

  it('is refused at once where waiting helps nothing', async () => {
    await assert.rejects(listenAt(elsewhere, [elsewhere]), /^OperatorError: Cannot listen/);
    await assert.rejects(listenAt('code.test', [{ code: 'EINVAL' }]), OperatorError);
    assert.deepEqual(logged, []);
  });
});
