import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import type { TLSSocket } from 'node:tls';

import { createLog } from '#platform/log.ts';

import { answerNotice, pauseTimes, sendNotice, shardNotice } from './node-notices.ts';
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

describe('a notice that a shard is about to have another owner', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  it('is answered when the calls of git there have ended', async () => {
    const paused = Promise.withResolvers<number>();
    const ended = Promise.withResolvers<void>();
    const node = await startNode((socket) =>
      answerNotice(socket, {
        poll: async () => {},
        resume() {},
        async pause(shardId) {
          paused.resolve(shardId);
          await ended.promise;
        },
      }),
    );
    const sent = sendNotice(dial(node.address), shardNotice('pause', 3));
    assert.equal(await paused.promise, 3);
    // Longer than a node waits for a connection.
    mock.timers.tick(pauseTimes.answerMilliseconds - 1);
    ended.resolve();
    await sent;
    await node.close();
  });

  it('is not waited for where a node stands still', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens at a TCP port
    const { port } = silent.address() as AddressInfo;
    const sent = sendNotice(dial(`127.0.0.1:${port}`), 'pause');
    mock.timers.tick(pauseTimes.connectMilliseconds);
    await assert.rejects(sent, /No connection in time/);
    silent.close();
  });

  it('is waited for a moment where a node stands still after it was connected', async () => {
    const node = await startNode(() => {});
    const socket = dial(node.address);
    const sent = sendNotice(socket, 'pause');
    await once(socket, 'secureConnect');
    mock.timers.tick(pauseTimes.answerMilliseconds);
    await assert.rejects(sent, /No answer in time/);
    await node.close();
  });
});
