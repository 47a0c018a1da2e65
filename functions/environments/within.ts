import { inBackground } from '#platform/in-background.ts';

/**
 * Undefined when it takes longer than that. If this process itself stood still (stopped, or without a processor), its timer is late; the
 * limit is then extended by that delay, since a program is not late because its server was.
 */
export function within<T>(milliseconds: number, promise: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout;
    const wait = (time: number): void => {
      const due = performance.now() + time;
      timer = setTimeout(() => {
        const standstill = performance.now() - due;
        if (standstill > standstillMinimum) wait(standstill);
        else inBackground(waitForOutput().then(() => resolve(undefined)));
      }, time);
    };
    wait(milliseconds);
    promise.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error instanceof Error ? error : new Error(String(error)));
      },
    );
  });
}

/** In milliseconds; timers of a busy process are late by less. */
const standstillMinimum = 100;

/**
 * Resolves when everything that a program printed before its last request has been read. Both arrive over local sockets: when the
 * request is here, the output is at least buffered, and one whole turn of the event loop reads everything that is buffered. The
 * current turn may have started already, so we wait for the next as well.
 */
export function waitForOutput(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(() => setImmediate(resolve));
  });
}
