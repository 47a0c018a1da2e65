import { PassThrough, Readable, Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';

import type { FastifyRequest } from 'fastify';

import { IncomingMessage } from '#platform/node-http.ts';
import { pipeThrough } from '#platform/pipe-through.ts';

import type { GitService } from '../git/git.ts';
import { GitRefusal } from '../http/from-git-error.ts';

const mebibyte = 1024 * 1024;

/** Push, and list of the wants and haves of a fetch once it is unpacked. */
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
  const gunzip = pipeThrough(source, createGunzip());
  gunzip.on('error', (error) => {
    const isOfZlib = 'code' in error && String(error.code).startsWith('Z_');
    output.destroy(isOfZlib ? new GitRefusal(400, 'The body is not valid gzip.') : error);
  });
  output.on('close', () => gunzip.destroy());
  return gunzip.pipe(output);
}

export function limited(source: Readable, bytesMax: number): Readable {
  const tooLarge = (): GitRefusal =>
    new GitRefusal(413, `The request is larger than ${bytesMax} bytes.`);
  let bytes = 0;
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > bytesMax) done(tooLarge());
      else done(null, chunk);
    },
  });
  const body = pipeThrough(source, counter);
  // Before gigabytes are received.
  if (contentLengthOf(source) > bytesMax) counter.destroy(tooLarge());
  return body;
}

function contentLengthOf(source: Readable): number {
  return source instanceof IncomingMessage ? Number(source.headers['content-length'] ?? 0) : 0;
}
