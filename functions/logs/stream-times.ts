import { open } from 'node:fs/promises';

import { fullSuffix, lineBytesMax, statOf } from './log-files.ts';

/** The times of the first and the last line of a stream, epoch milliseconds. */
export interface StreamTimes {
  readonly first: number;
  readonly last: number;
}

/** Undefined while the stream has no line. */
export async function streamTimes(path: string): Promise<StreamTimes | undefined> {
  const full = `${path}${fullSuffix}`;
  const first = await timesIn((await statOf(full)) ? full : path, 'first');
  const last = (await timesIn(path, 'last')) ?? (await timesIn(full, 'last'));
  return first === undefined || last === undefined ? undefined : { first, last };
}

async function timesIn(path: string, which: 'first' | 'last'): Promise<number | undefined> {
  const found = await statOf(path);
  if (!found || found.size === 0) return undefined;
  const file = await open(path, 'r');
  try {
    const length = which === 'first' ? 32 : Math.min(found.size, lineBytesMax);
    const piece = Buffer.alloc(length);
    const { bytesRead } = await file.read(
      piece,
      0,
      length,
      which === 'first' ? 0 : found.size - length,
    );
    const text = piece.toString('latin1', 0, bytesRead);
    const line = which === 'first' ? text : text.slice(text.trimEnd().lastIndexOf('\n') + 1);
    const at = Number(/^\d+(?= )/.exec(line)?.[0]);
    return Number.isSafeInteger(at) ? at : undefined;
  } finally {
    await file.close();
  }
}
