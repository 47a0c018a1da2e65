import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';

/** The next message of a thread. Rejects where the thread ends, or says nothing in time. */
export async function nextMessage<T>(worker: Worker, milliseconds: number): Promise<T> {
  const ended = new AbortController();
  const end = (): void => ended.abort();
  const timer = setTimeout(end, milliseconds);
  worker.once('exit', end);
  try {
    const [message]: T[] = await once(worker, 'message', { signal: ended.signal });
    if (message === undefined) throw new Error('An empty message came from a thread.');
    return message;
  } finally {
    clearTimeout(timer);
    worker.off('exit', end);
  }
}
