import { repositoryEventsChannel } from '../../events/event-outbox-store.ts';
import type { Ports } from '../../ports/ports.ts';
import { autoMergesChannel, autoMergingPulls } from '../auto-merge-store.ts';
import { autoMergePull } from './auto-merge.ts';

/** For events of other servers with the same database. */
const intervalMilliseconds = 30_000;

/**
 * Merges pulls with auto-merge: now, after every event of a repository, and at regular intervals, until the returned function is
 * called. The pulls are rows of the database, so a crash loses nothing. While there are none, events cost no statement.
 */
export function startAutoMerges(ports: Ports): () => Promise<void> {
  const { background, database } = ports;
  let waiting = true;

  async function check(): Promise<void> {
    const ids = await database.read(autoMergingPulls);
    waiting = ids.length > 0;
    for (const id of ids) background.run(`auto-merge ${id}`, () => autoMergePull(ports, id));
  }
  const wake = (): void => background.run('auto-merges', check);

  const unlisten = [
    database.listen(autoMergesChannel, wake),
    database.listen(repositoryEventsChannel, () => {
      if (waiting) wake();
    }),
  ];
  const timer = setInterval(wake, intervalMilliseconds);
  wake();
  return async () => {
    clearInterval(timer);
    for (const end of unlisten) end();
  };
}
