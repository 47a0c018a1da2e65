import type { Ports } from '../ports/ports.ts';
import { findInterrupted, finishInterrupted } from '../ref-updates/reconcile.ts';

/** What a start does with all that a crash interrupted, to its end. Gives how much it found. */
export async function reconcile(ports: Ports): Promise<{ intents: number; repositories: number }> {
  const interrupted = await findInterrupted(ports);
  const stop = new AbortController();
  const errors: unknown[] = [];
  await finishInterrupted(ports, interrupted, stop.signal, (error) => {
    errors.push(error);
    stop.abort();
  });
  if (errors.length > 0) throw errors[0];
  return { intents: interrupted.intents, repositories: interrupted.repositories.length };
}
