import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, it } from 'node:test';
import type { TLSSocket } from 'node:tls';

import { createLog } from '#platform/log.ts';

import { answerNotice, sendNotice, shardNotice } from './node-notices.ts';
import { dialPeer, listenForPeers, type PeerKeys } from './peers.ts';

const keys: PeerKeys = {
  derive: () => ({ name: 'key', key: Buffer.alloc(32, 1) }),
  deriveFrom: () => Buffer.alloc(32, 1),
};

const dial = (address: string): TLSSocket => dialPeer(keys, 'a', { address }, 'hob-node');

const refuse = (socket: TLSSocket): unknown => socket.destroy();

/** Starts a node that accepts notices so. Returns its address, and what ends it. */
async function startNode(
  accept: (socket: TLSSocket) => void,
): Promise<{ readonly address: string; readonly close: () => Promise<void> }> {
  return listenForPeers({
    address: '127.0.0.1:0',
    log: createLog('silent'),
    keys,
    accept: {
      'http/1.1': refuse,
      'hob-git': refuse,
      'hob-git-shard': refuse,
      'hob-node': accept,
    },
  });
}

async function secondsUntilRejected(sent: Promise<void>): Promise<number> {
  const from = performance.now();
  await assert.rejects(sent, /No (connection|answer) in time/);
  return (performance.now() - from) / 1000;
}

describe('a notice that a shard is about to have another owner', () => {
  it('is answered when the calls of git there have ended', async () => {
    const paused: number[] = [];
    const ended = Promise.withResolvers<void>();
    const node = await startNode((socket) =>
      answerNotice(socket, {
        poll: async () => {},
        resume() {},
        async pause(shardId) {
          paused.push(shardId);
          // Longer than a node waits for a connection.
          setTimeout(ended.resolve, 400);
          await ended.promise;
        },
      }),
    );
    await sendNotice(dial(node.address), shardNotice('pause', 3));
    assert.deepEqual(paused, [3]);
    await node.close();
  });

  it('is not waited for where a node stands still', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens at a TCP port
    const { port } = silent.address() as AddressInfo;
    const seconds = await secondsUntilRejected(sendNotice(dial(`127.0.0.1:${port}`), 'pause'));
    silent.close();
    assert.ok(seconds < 0.8, `${seconds} s`);
  });

  it('is waited for a moment where a node stands still after it was connected', async () => {
    const node = await startNode(() => {});
    const seconds = await secondsUntilRejected(sendNotice(dial(node.address), 'pause'));
    await node.close();
    assert.ok(seconds < 1.2, `${seconds} s`);
  });
});
