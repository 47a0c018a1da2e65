import type { Log } from '#platform/log.ts';
import { systemRandom } from '#platform/random.ts';
import { storageFailure } from '#platform/storage-failure.ts';

import type { Cluster } from './cluster.ts';

/** For how many polls a node stays that came back because it was alone, and how many more at most. */
const staysForPolls = 3;
const spreadPolls = 27;

/** Time between two checks whether the node may serve: as often as nodes poll for each other. */
const pollMillisecondsDefault = 1000;

/**
 * Has the functions of a node that cannot run them, or whose clock is wrong, get other homes, and a balancer send its requests elsewhere (operations.ts), until
 * that is over. While no other node takes requests, this one does: most requests need no function. Returns what ends it, after which other nodes forward nothing to this one.
 */
export function serveWhileAvailable(
  cluster: Pick<Cluster, 'serve' | 'drain' | 'isServing' | 'othersServe'>,
  isAvailable: () => boolean,
  log: Log,
  pollMilliseconds = pollMillisecondsDefault,
): () => Promise<void> {
  let changing: Promise<void> | undefined;

  async function change(to: boolean): Promise<void> {
    try {
      await (to ? cluster.serve() : cluster.drain());
      log.warn(
        {},
        to
          ? 'this node takes requests again'
          : 'other nodes take the requests and functions of this one',
      );
    } catch (err) {
      log.warn(
        { err },
        'the other nodes were not notified whether this one takes requests; retrying',
      );
    } finally {
      changing = undefined;
    }
  }

  let pollsToStay = 0;
  const timer = setInterval(() => {
    pollsToStay = Math.max(0, pollsToStay - 1);
    const available = isAvailable();
    const serves = cluster.isServing();
    const wanted = available || !cluster.othersServe() || (serves && pollsToStay > 0);
    if (wanted === serves || changing) return;
    // Two nodes without functions that poll at the same time would leave, and be alone, in turn: one of them stays longer.
    pollsToStay =
      wanted && !available ? staysForPolls + Math.floor(systemRandom.fraction() * spreadPolls) : 0;
    changing = change(wanted);
  }, pollMilliseconds);
  async function end(): Promise<void> {
    clearInterval(timer);
    await changing;
    try {
      await cluster.drain();
    } catch (err) {
      if (storageFailure(err) === undefined) throw err;
      log.warn({ err }, 'the other nodes were not notified that this one stops');
    }
  }
  let ended: Promise<void> | undefined;
  return () => (ended ??= end());
}
