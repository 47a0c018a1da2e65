import { constants } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { type Clock, hostTime } from '#platform/clock.ts';
import { errorCode } from '#platform/error-code.ts';

import { FunctionsError, invalidParameter } from '../../errors/functions-error.ts';
import type { AccessKey } from '../../signing/sign-request.ts';
import { presignedUrl } from './presigned-url.ts';

/** The source of archives that are too large for a request. */
export interface ObjectStore {
  /** The content of a store over a network ends with an error at the signal. */
  open(name: ObjectName, within?: AbortSignal): Promise<OpenedObject>;
}

export interface ObjectName {
  readonly bucket: string;
  readonly key: string;
  readonly version?: string;
}

export type OpenedObject =
  | { readonly kind: 'object'; readonly content: AsyncIterable<Uint8Array> }
  | RefusedObject;

/** With the store's error code and message. */
export interface RefusedObject {
  readonly kind: 'refused';
  readonly code: string;
  readonly message: string;
}

/** Whether a name has no special meaning in file paths and URLs. */
function isBucketName(bucket: string): boolean {
  return /^[0-9A-Za-z][0-9A-Za-z.\-_]*$/.test(bucket);
}

/** As for buckets: no part may leave the bucket. */
function isPlainKey(key: string): boolean {
  return !key.includes('\0') && key.split('/').every((part) => !['', '.', '..'].includes(part));
}

export const noSuchBucket: RefusedObject = {
  kind: 'refused',
  code: 'NoSuchBucket',
  message: 'The specified bucket does not exist',
};

export const noSuchKey: RefusedObject = {
  kind: 'refused',
  code: 'NoSuchKey',
  message: 'The specified key does not exist.',
};

/** An object store's error, in the recorded format. */
export function objectRefusal(code: string, message: string): FunctionsError {
  return invalidParameter(
    `Error occurred while GetObject. S3 Error Code: ${code}. S3 Error Message: ${message}`,
  );
}

/** A directory of the host as an object store: `<folder>/<bucket>/<key>`. It has no versions. */
export function createFolderObjects(folder: string): ObjectStore {
  return {
    async open({ bucket, key, version }) {
      const root = isBucketName(bucket) ? await realFolder(join(folder, bucket)) : undefined;
      if (root === undefined) return noSuchBucket;
      if (version !== undefined && version !== 'null') return noSuchVersion;
      const path = isPlainKey(key) ? await realPath(join(root, key)) : undefined;
      // Links may point inside a bucket only.
      if (path === undefined || !path.startsWith(`${root}/`)) return noSuchKey;
      return openFile(path);
    },
  };
}

export const noSuchVersion: RefusedObject = {
  kind: 'refused',
  code: 'NoSuchVersion',
  message: 'The specified version does not exist.',
};

async function realFolder(path: string): Promise<string | undefined> {
  const real = await realPath(path);
  return real !== undefined && (await stat(real)).isDirectory() ? real : undefined;
}

async function realPath(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG' || code === 'ELOOP') {
      return undefined;
    }
    throw error;
  }
}

/** Does not block on a pipe without a writer, and follows no link created since. */
async function openFile(path: string): Promise<OpenedObject> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  if ((await file.stat()).isFile()) {
    return { kind: 'object', content: file.createReadStream({ highWaterMark: 256 * 1024 }) };
  }
  await file.close();
  return noSuchKey;
}

export interface ObjectEndpoint {
  /** `http[s]://host[:port]`; buckets are the first part of its paths. */
  readonly url: string;
  readonly region: string;
  readonly key: AccessKey;
}

/** An S3-compatible endpoint. */
export function createEndpointObjects(endpoint: ObjectEndpoint, clock: Clock): ObjectStore {
  return {
    async open({ bucket, key, version }, within = AbortSignal.timeout(storeMilliseconds)) {
      if (!isBucketName(bucket)) return noSuchBucket;
      if (!isPlainKey(key)) return noSuchKey;
      const url = presignedUrl({
        endpoint: endpoint.url,
        path: `/${bucket}/${key}`,
        version,
        region: endpoint.region,
        key: endpoint.key,
        now: hostTime(clock),
        seconds: 300,
      });
      const response = await get(url, within);
      if (response.status !== 200) return refusalOf(response);
      return { kind: 'object', content: contentOf(response) };
    },
  };
}

/**
 * Time that stores of code take of one request together, to fetch the object of an endpoint and to add the archive to the
 * bucket of `HOB_CODE`. Clients of AWS wait 60 seconds for a response and then send the request again, which must not find a
 * function that the first one creates later.
 */
export const storeMilliseconds = 50_000;

/** What is read of an endpoint's refusal. */
const errorBytesMax = 64 * 1024;

async function get(url: string, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(url, { redirect: 'manual', signal });
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
    'The object store did not respond in time. Check that it is running and that HOB_S3_ENDPOINT is correct.',
  );
  error.cause = cause;
  return error;
}

async function refusalOf(response: Response): Promise<OpenedObject> {
  const text = await beginning(response).catch((cause: unknown) => {
    throw unreachable(cause);
  });
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
