import { Readable, Transform } from 'node:stream';

import type * as Sdk from '@aws-sdk/client-s3';

/**
 * Response of the bucket of `HOB_CODE` that is not an object. A page of a list, the largest, has 1000 keys of at most 1024 bytes
 * and what stands around them.
 */
const answerBytesMax = 8 * 1024 * 1024;

/** The SDK collects what is not the content of an object in memory, whatever its size: a broken store could fill it. */
export function boundResponses(client: Pick<Sdk.S3Client, 'middlewareStack'>): void {
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const result = await next(args);
        const { response } = result;
        if (isResponse(response) && !(commandName === 'GetObjectCommand' && isContent(response))) {
          response.body = bounded(response.body);
        }
        return result;
      },
    // Next to the network: before that of the SDK, which reads the body.
    { step: 'deserialize', priority: 'low', name: 'boundResponses' },
  );
}

interface HttpResponse {
  readonly statusCode: number;
  body: Readable;
}

function isResponse(response: unknown): response is HttpResponse {
  if (typeof response !== 'object' || response === null) return false;
  return 'statusCode' in response && 'body' in response && response.body instanceof Readable;
}

function isContent({ statusCode }: HttpResponse): boolean {
  return statusCode < 300;
}

function bounded(body: Readable): Readable {
  let received = 0;
  const passed = new Transform({
    transform(piece: Uint8Array, _encoding, done) {
      received += piece.length;
      if (received <= answerBytesMax) return done(null, piece);
      body.destroy();
      done(new Error(`The store answered with over ${answerBytesMax} bytes.`));
    },
  });
  body.on('error', (error) => passed.destroy(error));
  return body.pipe(passed);
}
