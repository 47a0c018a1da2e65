import type { Ports } from '#forge/ports/ports.ts';
import {
  areLeft,
  findInterrupted,
  finishInterrupted,
  type HasEnded,
  type Interrupted,
} from '#forge/ref-updates/reconcile.ts';
import { atMost } from '#platform/at-most.ts';
import type { Log } from '#platform/log.ts';

import { moverOf } from './moves/network-mover.ts';
import type { Cluster } from './nodes/cluster.ts';
import type { GitShards } from './shards/git-shards.ts';

/** Time that a stop waits for changes of refs that are being finished, and for moves: a volume may hang. */
const closeMillisecondsDefault = 5000;

/** Finishes what a crash interrupted, and later what dead nodes leave, behind whatever is served, and moves networks. Gives what stops it. */
export function finishBehind(
  ports: Ports,
  interrupted: Interrupted,
  { cluster, shards, log }: { cluster: Cluster | undefined; shards: GitShards; log: Log },
  closeMilliseconds = closeMillisecondsDefault,
): () => Promise<void> {
  const stopOwn = beginToFinish(ports, interrupted, log).stop;
  const stopDead = cluster && finishOfDead(ports, cluster, log);
  const mover = moverOf({ database: ports.database, cluster, log }, shards);
  return async () => {
    await atMost(closeMilliseconds, Promise.all([stopOwn(), stopDead?.(), mover.close()]));
  };
}

function beginToFinish(
  ports: Ports,
  interrupted: Interrupted,
  log: Log,
): { readonly finished: Promise<void>; readonly stop: () => Promise<void> } {
  const stop = new AbortController();
  const finish = async (): Promise<void> => {
    if (interrupted.intents + interrupted.repositories.length === 0) return;
    await finishInterrupted(ports, interrupted, stop.signal, (err, activity) => {
      if (stop.signal.aborted) return;
      log.error({ err, what: activity }, 'recovery after a crash failed; retrying');
    });
    const counts = { intents: interrupted.intents, repositories: interrupted.repositories.length };
    if (!stop.signal.aborted) log.info(counts, 'recovery after a crash finished');
  };
  const finished = finish();
  return {
    finished,
    stop() {
      stop.abort();
      return finished;
    },
  };
}

type KnownNodes = Pick<Cluster, 'self' | 'owns' | 'isLive'>;

/** Whose changes are left at a start: this server's, and those of dead nodes in the shards that it has. */
export function hasEnded(cluster: KnownNodes | undefined): HasEnded {
  if (!cluster) return () => true;
  return (serverId, shardId) => serverId === cluster.self || isOfDead(cluster, serverId, shardId);
}

function isOfDead(
  cluster: Pick<KnownNodes, 'owns' | 'isLive'>,
  serverId: string | null,
  shardId: number,
): boolean {
  return cluster.owns(shardId) && (serverId === null || !cluster.isLive(serverId));
}

/** Time between two polls for changes of refs that dead nodes have left unfinished. */
const pollMilliseconds = 1000;

/** The node that has a shard finishes the changes of nodes that die. Gives what stops it. */
function finishOfDead(ports: Ports, cluster: Cluster, log: Log): () => Promise<void> {
  let stop: (() => Promise<void>) | undefined;
  let polling: Promise<void> | undefined;
  const isLeft: HasEnded = (...of) => isOfDead(cluster, ...of);
  async function poll(): Promise<void> {
    if (!cluster.shards().some(([, owns]) => owns)) return;
    if (!(await areLeft(ports, isLeft))) return;
    // A server that this one took for dead a second ago may have started again: what it does now is its own.
    await cluster.poll();
    const left = await findInterrupted(ports, isLeft);
    const finishing = beginToFinish(ports, left, log);
    stop = finishing.stop;
    await finishing.finished;
  }
  const timer = setInterval(() => {
    polling ??= poll()
      .catch((err: unknown) => log.warn({ err }, 'changes of dead nodes were not looked for'))
      .finally(() => (polling = undefined));
  }, pollMilliseconds);
  return async () => {
    clearInterval(timer);
    await stop?.();
    await polling;
  };
}
