import { readCommitted } from '#platform/database/database.ts';

import type { Ports } from '../ports/ports.ts';
import { deleteIntent, findIntentByKey } from './intent-store.ts';

/** Removes in the background an intent whose commit becomes visible late: while it exists, its pull cannot be merged. */
export function removeUnacknowledged(ports: Ports, repositoryId: number, key: string): void {
  pollForUnacknowledged(ports, repositoryId, key, async (id) => {
    await ports.database.write((sql) => deleteIntent(sql, id), readCommitted);
  });
}

/** Looks, a second apart, for a commit of unknown outcome: PostgreSQL may still be at it after the connection is lost. */
const pollsMax = 300;

/** Looks in the background for an intent whose commit was not acknowledged, and ends it if it is there. */
export function pollForUnacknowledged(
  ports: Pick<Ports, 'background' | 'database'>,
  repositoryId: number,
  key: string,
  end: (id: number) => Promise<void>,
): void {
  let polls = 0;
  ports.background.run(
    `unacknowledged ref intent ${key}`,
    async () => {
      polls += 1;
      const id = await ports.database.read((sql) => findIntentByKey(sql, repositoryId, key));
      if (id === undefined) return polls < pollsMax ? 'again' : undefined;
      await end(id);
      return undefined;
    },
    'always',
  );
}
