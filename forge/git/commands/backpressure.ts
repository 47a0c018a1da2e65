import type { Writable } from 'node:stream';

/** Writes, and resolves when the stream accepts more data or has closed. */
export function writeWithBackpressure(stream: Writable, bytes: Buffer): Promise<void> {
  if (stream.destroyed || stream.write(bytes)) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done);
      stream.off('close', done);
      resolve();
    };
    stream.on('drain', done);
    stream.on('close', done);
  });
}
