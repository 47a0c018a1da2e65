import type { Readable, Transform } from 'node:stream';

/**
 * Like pipeline(), for a stream that the caller reads: an error on either side destroys both. The caller may begin to read late, after
 * it has waited for something: a source that fails before that must not raise an error that has no listener, which ends the process.
 */
export function pipeThrough(source: Readable, through: Transform): Readable {
  through.on('error', () => {});
  source.on('error', (error) => through.destroy(error));
  // A source that was cut off before has no error left to give.
  source.on('close', () => {
    if (!source.readableEnded) through.destroy(cutOff());
  });
  if (source.destroyed) through.destroy(cutOff());
  through.on('close', () => source.destroy());
  return source.pipe(through);
}

/** What Node itself says of a client that leaves in the middle. */
function cutOff(): Error {
  return Object.assign(new Error('The request was cut off.'), { code: 'ECONNRESET' });
}
