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

const long = 60_000;
const short = 20;

describe('a notice that a shard is about to have another owner', () => {
  it('is answered when the calls of git there have ended', async () => {
    const paused: number[] = [];
    const node = await startNode((socket) =>
      answerNotice(socket, {
        poll: async () => {},
        resume() {},
        async pause(shardId) {
          await new Promise((resolve) => setImmediate(resolve));
          paused.push(shardId);
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
    const times = { connectMilliseconds: short, answerMilliseconds: long };
    const sent = sendNotice(dial(`127.0.0.1:${port}`), 'pause', times);
    await assert.rejects(sent, /No connection in time/);
    silent.close();
  });

  it('is waited for a moment where a node stands still after it was connected', async () => {
    const node = await startNode(() => {});
    const times = { connectMilliseconds: long, answerMilliseconds: short };
    await assert.rejects(sendNotice(dial(node.address), 'pause', times), /No answer in time/);
    await node.close();
  });
});
