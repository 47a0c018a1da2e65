import type { Ports } from '../ports/ports.ts';

/**
 * Runs a change of the default branch, or a deletion of a branch, after the others of the repository: between the two steps of a deletion its
 * branch could become the default one. Of the nodes of a cluster, each has a queue of its own.
 */
export function inDefaultBranchTurn<T>(
  { serialQueues }: Pick<Ports, 'serialQueues'>,
  repositoryId: number,
  work: () => Promise<T>,
): Promise<T> {
  return serialQueues.run(`default branch of repository ${repositoryId}`, work);
}
