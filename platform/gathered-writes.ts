import { inBackground } from './in-background.ts';
import { failsEveryWrite } from './storage-failure.ts';

interface Waiting<T> {
  readonly item: T;
  readonly resolve: (isWritten: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes together what comes while an earlier write is under way, so that many items cost one commit, and one of its own waits for
 * nothing. `write` returns whether each item was written, in the order of the items. Where it fails, each is written by itself, so that
 * an item which cannot be written, such as one whose row is locked, takes no other with it; not where the database is unavailable or
 * the disk full.
 */
export function gatherWrites<T>(
  write: (items: readonly T[]) => Promise<readonly boolean[]>,
  itemsMax = 64,
): (item: T) => Promise<boolean> {
  const waiting: Waiting<T>[] = [];
  let isWriting = false;

  async function writeTogether(group: readonly Waiting<T>[]): Promise<void> {
    try {
      const written = await write(group.map(({ item }) => item));
      for (const [index, { resolve }] of group.entries()) resolve(written[index] === true);
    } catch (error) {
      const isOfAll = group.length === 1 || failsEveryWrite(error);
      if (isOfAll) for (const { reject } of group) reject(error);
      else for (const each of group) await writeTogether([each]);
    }
  }

  async function writeAll(): Promise<void> {
    isWriting = true;
    while (waiting.length > 0) await writeTogether(waiting.splice(0, itemsMax));
    isWriting = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!isWriting) inBackground(writeAll());
    });
}
