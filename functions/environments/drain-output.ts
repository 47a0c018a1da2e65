import { setImmediate as turn } from 'node:timers/promises';

/**
 * Resolves when what a program had printed before its last word to us has been read. Both travel over sockets of this machine:
 * when the word is here, the print is at least waiting to be read, and one whole turn of the event loop reads all that waits. The
 * first turn may have begun already.
 */
export async function drainOutput(): Promise<void> {
  await turn();
  await turn();
}
