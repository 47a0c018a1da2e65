/** Undefined when it takes longer than that. */
export function within<T>(milliseconds: number, promise: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds, undefined);
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

/**
 * Resolves when everything that a program printed before its last request has been read. Both arrive over local sockets: when the
 * request is here, the output is at least buffered, and one whole turn of the event loop reads everything that is buffered. The
 * current turn may have started already, so we wait for the next as well.
 */
export function drainOutput(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(() => setImmediate(resolve));
  });
}
