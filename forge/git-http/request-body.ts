import { PassThrough, Readable, Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';

import type { FastifyRequest } from 'fastify';

import type { GitService } from '../git/git.ts';
import { GitRefusal } from '../http/from-git-error.ts';

const mebibyte = 1024 * 1024;

/** The largest push, and the largest list of wants and haves once it is unpacked. */
export const bodyBytesMax: Readonly<Record<GitService, number>> = {
  'upload-pack': 10 * mebibyte,
  'receive-pack': 2048 * mebibyte,
};

/** What the client sends, unpacked as it comes; more than a service takes ends the request. */
export function requestBody(request: FastifyRequest, service: GitService): Readable {
  const raw = request.body instanceof Readable ? request.body : Readable.from([]);
  const encoding = request.headers['content-encoding'];
  const max = bodyBytesMax[service];
  if (encoding === undefined || encoding === 'identity') return limited(raw, max);
  if (encoding !== 'gzip' && encoding !== 'x-gzip') {
    throw new GitRefusal(415, `Unsupported Content-Encoding ${encoding}: use gzip or none.`);
  }
  return limited(unzipped(raw), max);
}

function unzipped(source: Readable): Readable {
  const output = new PassThrough();
  const gunzip = chained(source, createGunzip());
  gunzip.on('error', (error) => {
    const isOfZlib = 'code' in error && String(error.code).startsWith('Z_');
    output.destroy(isOfZlib ? new GitRefusal(400, 'The body is not valid gzip.') : error);
  });
  output.on('close', () => gunzip.destroy());
  return gunzip.pipe(output);
}

export function limited(source: Readable, bytesMax: number): Readable {
  let bytes = 0;
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > bytesMax)
        done(new GitRefusal(413, `The request is larger than ${bytesMax} bytes.`));
      else done(null, chunk);
    },
  });
  return chained(source, counter);
}

/**
 * Like pipeline(), for a stream that the caller reads: an error on either side destroys both. The caller may begin to read late, after
 * it has waited for its turn: a client that leaves before that must not raise an error that has no listener, which ends the process.
 */
function chained(source: Readable, through: Transform): Readable {
  through.on('error', () => {});
  source.on('error', (error) => through.destroy(error));
  // A body that was cut off before has no error left to give.
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
