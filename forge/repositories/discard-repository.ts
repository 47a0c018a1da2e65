import type { Ports } from '../ports.ts';
import { deleteRepositoryRow, markDeleting } from './repository-life-store.ts';

/**
 * Removes a repository from both stores: out of sight and without its name first, then git, then the row. What a crash
 * or a failure leaves is removed at the next start (crash matrix).
 */
export async function discardRepository(
  ports: Pick<Ports, 'database' | 'git'>,
  repositoryId: number,
): Promise<void> {
  await ports.database.write((sql) => markDeleting(sql, repositoryId));
  await ports.git.remove(repositoryId);
  await ports.database.write((sql) => deleteRepositoryRow(sql, repositoryId));
}
