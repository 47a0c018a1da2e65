import type { Clock } from '#platform/clock.ts';

import { FunctionsError } from '../../errors/functions-error.ts';
import type { AccessKey } from '../../signing/sign-request.ts';
import { isBucketName, isPlainKey, noSuchBucket, noSuchKey } from './object-store.ts';
import type { ObjectStore, OpenedObject } from './object-store.ts';
import { presignedUrl } from './presigned-url.ts';

export interface ObjectEndpoint {
  /** `http[s]://host[:port]`; buckets are the first part of its paths. */
  readonly url: string;
  readonly region: string;
  readonly key: AccessKey;
}

/** An S3-compatible endpoint. */
export function createEndpointObjects(endpoint: ObjectEndpoint, clock: Clock): ObjectStore {
  return {
    async open({ bucket, key, version }) {
      if (!isBucketName(bucket)) return noSuchBucket;
      if (!isPlainKey(key)) return noSuchKey;
      const url = presignedUrl({
        endpoint: endpoint.url,
        path: `/${bucket}/${key}`,
        version,
        region: endpoint.region,
        key: endpoint.key,
        now: clock.now(),
        seconds: 300,
      });
      const response = await get(url);
      if (response.status !== 200) return refusalOf(response);
      return { kind: 'object', content: contentOf(response) };
    },
  };
}

/** For the whole object: the caller waits for the response. */
const secondsMax = 120;
const errorBytesMax = 64 * 1024;

async function get(url: string): Promise<Response> {
  try {
    return await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(secondsMax * 1000) });
  } catch (cause) {
    // Not the caller's fault, and worth a retry. The message contains no URL, since that has the signature.
    throw unreachable(cause);
  }
}

async function* contentOf(response: Response): AsyncGenerator<Uint8Array> {
  try {
    yield* response.body ?? nothing();
  } catch (cause) {
    throw unreachable(cause);
  }
}

function unreachable(cause: unknown): Error {
  const error = new FunctionsError(
    'ServiceException',
    'The object store did not respond. Check that it is running and that HOB_S3_ENDPOINT is correct.',
  );
  error.cause = cause;
  return error;
}

async function refusalOf(response: Response): Promise<OpenedObject> {
  const text = await beginning(response);
  return {
    kind: 'refused',
    code: element(text, 'Code') ?? String(response.status),
    message: element(text, 'Message') ?? 'The object store gave no reason.',
  };
}

/** A store's response may be large, so only its beginning is read. */
async function beginning(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of response.body ?? nothing()) {
    pieces.push(piece);
    length += piece.length;
    if (length > errorBytesMax) break;
  }
  return Buffer.concat(pieces).toString();
}

function element(text: string, name: string): string | undefined {
  return new RegExp(`<${name}>([^<]{1,500})</${name}>`).exec(text)?.[1];
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
