import type { TLSSocket } from 'node:tls';

import { defaultShard } from '#forge/git/process/sharded-git.ts';
import { inBackground } from '#platform/in-background.ts';

import { drainMilliseconds } from './cluster-git.ts';

/**
 * What one node notifies another of: `look`, the list of nodes or owners has changed; `pause`, the default shard, or the one with this id, is about
 * to have another owner; `resume`, it stays where it is. A line each, answered by another line when it is done. Nothing depends on it but time.
 */
export type Notice = 'look' | ShardNotice | `${ShardNotice} ${number}`;

type ShardNotice = 'pause' | 'resume';

interface NoticeActions {
  readonly poll: () => Promise<void>;
  readonly pause: (shardId: number) => Promise<void>;
  readonly resume: (shardId: number) => void;
}

/** Earlier versions know the default shard only. */
export function shardNotice(name: ShardNotice, shardId: number): Notice {
  return shardId === defaultShard ? name : `${name} ${shardId}`;
}

interface NoticeTimes {
  readonly connectMilliseconds: number;
  /** From the connection on. */
  readonly answerMilliseconds: number;
}

/** Time for the connection of a notice to another node, and then for its answer; beyond it, that node finds out by itself. */
const noticeTimes: NoticeTimes = { connectMilliseconds: 1500, answerMilliseconds: 1500 };
/**
 * Time for the connection of a `pause` to another node, and then for its answer, which waits for calls of git that are under way there: calls of
 * the shard wait for it. A node that does not answer in time loses its calls.
 */
const pauseTimes: NoticeTimes = {
  connectMilliseconds: 250,
  answerMilliseconds: drainMilliseconds + 100,
};
const done = 'done\n';

export function answerNotice(socket: TLSSocket, actions: NoticeActions): void {
  const act = async (text: string): Promise<void> => {
    const [, name, shard] = /^(look|pause|resume)(?: (\d{1,9}))?\n$/.exec(text) ?? [];
    const shardId = Number(shard ?? defaultShard);
    if (name === 'look') await actions.poll();
    else if (name === 'pause') await actions.pause(shardId);
    else if (name === 'resume') actions.resume(shardId);
    else throw new Error('An unknown notice.');
    socket.end(done);
  };
  socket.setTimeout(noticeTimes.answerMilliseconds, () => socket.destroy());
  socket
    .setEncoding('utf8')
    .once('data', (text: string) => inBackground(act(text), () => socket.destroy()));
}

/** Resolves when the node has done what it was asked; rejects when that takes too long. */
export function sendNotice(
  socket: TLSSocket,
  notice: Notice,
  times: NoticeTimes = notice.startsWith('pause') ? pauseTimes : noticeTimes,
): Promise<void> {
  const { connectMilliseconds, answerMilliseconds } = times;
  return new Promise((resolve, reject) => {
    const without = (missing: string) => (): unknown =>
      socket.destroy(new Error(`No ${missing} in time.`));
    let deadline = setTimeout(without('connection'), connectMilliseconds);
    socket.once('secureConnect', () => {
      clearTimeout(deadline);
      deadline = setTimeout(without('answer'), answerMilliseconds);
    });
    socket.once('error', reject);
    socket.once('close', () => {
      clearTimeout(deadline);
      reject(new Error('The connection was closed.'));
    });
    socket.once('data', () => {
      socket.end();
      resolve();
    });
    socket.write(`${notice}\n`);
  });
}
