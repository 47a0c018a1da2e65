import type { Readable, Transform } from 'node:stream';

import { IncomingMessage } from './node-http.ts';

/** Time for a client to read why its body to git or Git LFS is refused. */
const lingerMilliseconds = 1000;

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
  through.on('close', () => {
    if (source instanceof IncomingMessage) discardRest(source, through);
    else source.destroy();
  });
  return source.pipe(through);
}

/**
 * The rest of a request that is refused in the middle of its body is read and discarded briefly: a connection that is closed with
 * bytes unread is reset, and the response lost (RFC 9112 section 9.6).
 */
function discardRest(request: IncomingMessage, through: Transform): void {
  if (request.destroyed || request.readableEnded) return;
  request.unpipe(through);
  request.resume();
  const deadline = setTimeout(() => request.destroy(), lingerMilliseconds).unref();
  request.once('close', () => clearTimeout(deadline));
}

/** What Node itself says of a client that leaves in the middle. */
function cutOff(): Error {
  return Object.assign(new Error('The request was cut off.'), { code: 'ECONNRESET' });
}
