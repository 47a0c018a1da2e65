import { repositoryEventsChannel } from '../../events/event-outbox-store.ts';
import type { Ports } from '../../ports/ports.ts';
import { autoMergesChannel, autoMergingPulls } from '../auto-merge-store.ts';
import { autoMergePull } from './auto-merge.ts';

/**
 * Time between two checks of pulls with auto-merge, apart from those after events: for events of other servers with the same
 * database.
 */
const intervalMilliseconds = 30_000;

/**
 * Merges pulls with auto-merge: now, after every event of their repository, and at regular intervals, until the returned function
 * is called. The pulls are rows of the database, so a crash loses nothing.
 */
export function startAutoMerges(ports: Ports): () => Promise<void> {
  const { background, database } = ports;
  /** By repository; of those that had such pulls at the last check of all. */
  const listeners = new Map<number, () => void>();
  let closed = false;

  async function check(repositoryId?: number): Promise<void> {
    const pulls = await database.read((sql) => autoMergingPulls(sql, repositoryId));
    if (closed) return;
    // Before the pulls are read, so that no event is missed between.
    if (repositoryId === undefined) listenTo(new Set(pulls.map((pull) => pull.repositoryId)));
    for (const { id } of pulls) background.run(`auto-merge ${id}`, () => autoMergePull(ports, id));
  }

  function listenTo(repositories: ReadonlySet<number>): void {
    for (const [id, end] of listeners) {
      if (!repositories.has(id)) {
        end();
        listeners.delete(id);
      }
    }
    for (const id of repositories) {
      if (!listeners.has(id)) {
        const wakeOne = (): void => background.run(`auto-merges of ${id}`, () => check(id));
        listeners.set(id, database.listen(repositoryEventsChannel(id), wakeOne));
      }
    }
  }

  const wake = (): void => background.run('auto-merges', () => check());
  const unlisten = database.listen(autoMergesChannel, wake);
  const timer = setInterval(wake, intervalMilliseconds);
  wake();
  return async () => {
    closed = true;
    clearInterval(timer);
    unlisten();
    listenTo(new Set());
  };
}
