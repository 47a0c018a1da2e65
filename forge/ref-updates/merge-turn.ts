import { refuse } from '../errors/api-error.ts';
import type { Ports } from '../ports/ports.ts';

/** Merges that wait for one branch; more are answered 503. */
const waitingMax = 250;

/** Runs a merge into a branch after all merges requested before it. */
export async function inMergeTurn<T>(
  { serialQueues }: Pick<Ports, 'serialQueues'>,
  repositoryId: number,
  branch: string,
  merge: () => Promise<T>,
): Promise<T> {
  const queue = `merges into ${branch} of repository ${repositoryId}`;
  if (serialQueues.length(queue) > waitingMax) {
    refuse({
      kind: 'unavailable',
      message: `Too many merges into ${branch} are waiting. Try again later.`,
    });
  }
  return serialQueues.run(queue, merge);
}
