import type { Ports } from '#forge/ports/ports.ts';
import { finishInterrupted, type Interrupted } from '#forge/ref-updates/reconcile.ts';
import type { Log } from '#platform/log.ts';

/** Finishes what a crash interrupted, behind whatever is served. Gives what stops it. */
export function finishBehind(
  ports: Ports,
  interrupted: Interrupted,
  log: Log,
): () => Promise<void> {
  const { intents, repositories } = interrupted;
  if (intents + repositories.length === 0) return async () => {};
  const stop = new AbortController();
  const finish = async (): Promise<void> => {
    await finishInterrupted(ports, interrupted, stop.signal, (err, activity) =>
      log.error({ err, what: activity }, 'recovery after a crash failed; retrying'),
    );
    const counts = { intents, repositories: repositories.length };
    if (!stop.signal.aborted) log.info(counts, 'recovery after a crash finished');
  };
  const finished = finish();
  return () => {
    stop.abort();
    return finished;
  };
}
