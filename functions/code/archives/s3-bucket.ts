import { createHash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { addAbortSignal, Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

import type * as Sdk from '@aws-sdk/client-s3';

import { writePrivateFile } from '#platform/durable-files.ts';
import { present } from '#platform/present.ts';
import { storageFailure } from '#platform/storage-failure.ts';

import { faultOf, ObjectTooLargeError } from './archive-faults.ts';
import type { S3Location } from './archives-location.ts';
import { boundResponses } from './bounded-responses.ts';
import { attemptsMax, clientOptions } from './s3-client-options.ts';
import { signContent } from './sign-content.ts';

/** A bucket of S3 or of another store with its interface. Names are keys without the prefix of the location. */
export interface S3Bucket {
  /** Stores a file. Resolves once the store has confirmed that it has the content with this hash. */
  put(name: string, file: string, sha256: string, within?: AbortSignal): Promise<void>;
  /** Stores a text of few bytes. */
  putText(name: string, text: string): Promise<void>;
  /** The same, unless there is such an object: then false. A store that does not know this condition replaces it. */
  createText(name: string, text: string): Promise<boolean>;
  /** Writes an object to a new file and returns the hash of it; undefined: there is none. Rejects with ObjectTooLargeError. */
  download(name: string, file: string, bytesMax: number): Promise<string | undefined>;
  getText(name: string, within?: AbortSignal): Promise<string | undefined>;
  /** By the clock of the store; undefined: there is no such object. */
  modified(name: string): Promise<number | undefined>;
  list(below: string): AsyncGenerator<S3Object>;
  /** False: there is no such object. */
  copy(from: string, to: string): Promise<boolean>;
  remove(name: string): Promise<void>;
  /** Whether the store has understood the request that failed with this error, and would refuse it again. */
  isRefusal(error: unknown): boolean;
  /** Rejects if the bucket is absent, forbids or does not answer. */
  check(): Promise<void>;
  close(): void;
}

export interface S3Object {
  readonly name: string;
  /** Milliseconds since the epoch, by the clock of the store. */
  readonly modified: number;
}

/** Pause before a transfer with the bucket of `HOB_CODE` is tried again; as many times that as there were attempts. */
const pauseMilliseconds = 200;
/** Time that a transfer with the bucket of `HOB_CODE` may go without any progress. */
const idleMillisecondsMax = 15_000;
/** Time of a request to the bucket of `HOB_CODE` other than a transfer of an archive, with all attempts. */
const requestMilliseconds = 20_000;
/** Time of an archive to or from the bucket of `HOB_CODE`, with all attempts; callers of functions may wait for it. */
const transferMilliseconds = 120_000;
/** File of a bucket that names its installation. */
const textBytesMax = 64 * 1024;
/** Pages of a list of the bucket of `HOB_CODE`; S3 has up to 1000 objects on a page. */
const pagesMax = 10_000;

/** Loads the SDK, which takes a while, only where archives are in S3. */
export async function openS3Bucket(
  location: S3Location,
  /** After which a connection on which nothing happens is given up. */
  idleMilliseconds = idleMillisecondsMax,
): Promise<S3Bucket> {
  const sdk = await import('@aws-sdk/client-s3');
  const client = new sdk.S3Client(clientOptions(location, idleMilliseconds));
  boundResponses(client);
  return new SdkBucket(sdk, location, client);
}

class SdkBucket implements S3Bucket {
  readonly #sdk: typeof Sdk;
  readonly #client: Sdk.S3Client;
  readonly #bucket: string;
  readonly #prefix: string;

  constructor(sdk: typeof Sdk, location: S3Location, client: Sdk.S3Client) {
    this.#sdk = sdk;
    this.#client = client;
    this.#bucket = location.bucket;
    this.#prefix = location.prefix;
  }

  async put(name: string, file: string, sha256: string, within?: AbortSignal): Promise<void> {
    // Open before anything is sent: another server may remove the file, and an error of a stream that nothing reads yet would end the process.
    await using handle = await open(file);
    const { size } = await handle.stat();
    await this.#repeated(upTo(transferMilliseconds, within), async (signal) => {
      const body = handle.createReadStream({ start: 0, autoClose: false });
      const failed = new AbortController();
      body.on('error', (error) => failed.abort(error));
      try {
        await this.#send(name, { body, size, sha256 }, AbortSignal.any([signal, failed.signal]));
      } catch (error) {
        failed.signal.throwIfAborted();
        throw error;
      } finally {
        body.destroy();
      }
    });
  }

  async putText(name: string, text: string): Promise<void> {
    await this.#send(name, contentOf(text), AbortSignal.timeout(requestMilliseconds));
  }

  async createText(name: string, text: string): Promise<boolean> {
    const signal = AbortSignal.timeout(requestMilliseconds);
    try {
      await this.#send(name, contentOf(text), signal, { IfNoneMatch: '*' });
    } catch (error) {
      const { status } = faultOf(error);
      // 409: another one is being written.
      if (status === 412 || status === 409) return false;
      if (status !== 501) throw error;
      await this.putText(name, text);
    }
    return true;
  }

  async download(name: string, file: string, bytesMax: number): Promise<string | undefined> {
    const attempt = async (signal: AbortSignal): Promise<string> => {
      const hash = createHash('sha256');
      // Of the attempt before.
      await rm(file, { force: true });
      await writePrivateFile(file, (write) =>
        this.#read(name, { signal, bytesMax }, async (piece) => {
          hash.update(piece);
          await write(piece);
        }),
      );
      return hash.digest('hex');
    };
    return this.#unlessAbsent(this.#repeated(upTo(transferMilliseconds), attempt));
  }

  async getText(name: string, within?: AbortSignal): Promise<string | undefined> {
    const attempt = async (signal: AbortSignal): Promise<string> => {
      const pieces: Uint8Array[] = [];
      await this.#read(name, { signal, bytesMax: textBytesMax }, async (piece) => {
        pieces.push(piece);
      });
      return Buffer.concat(pieces).toString();
    };
    return this.#unlessAbsent(this.#repeated(upTo(requestMilliseconds, within), attempt));
  }

  async modified(name: string): Promise<number | undefined> {
    const command = new this.#sdk.HeadObjectCommand(this.#at(name));
    const found = await this.#unlessAbsent(this.#client.send(command, brief()));
    return found?.LastModified?.getTime();
  }

  async *list(below: string): AsyncGenerator<S3Object> {
    const input = { Bucket: this.#bucket, Prefix: this.#prefix + below };
    let ContinuationToken: string | undefined;
    for (let pages = 1; ; pages += 1) {
      const of = { ...input, ...present({ ContinuationToken }) };
      const page = await this.#client.send(new this.#sdk.ListObjectsV2Command(of), brief());
      for (const { Key, LastModified } of page.Contents ?? []) {
        if (LastModified === undefined || Key?.startsWith(this.#prefix) !== true) continue;
        yield { name: Key.slice(this.#prefix.length), modified: LastModified.getTime() };
      }
      const next = page.IsTruncated ? page.NextContinuationToken : undefined;
      if (next === undefined) return;
      if (next === ContinuationToken || pages === pagesMax) throw endlessList(below);
      ContinuationToken = next;
    }
  }

  async copy(from: string, to: string): Promise<boolean> {
    const source = { CopySource: `${this.#bucket}/${this.#prefix}${from}` };
    const command = new this.#sdk.CopyObjectCommand({ ...this.#at(to), ...source });
    return (await this.#unlessAbsent(this.#client.send(command, brief()))) !== undefined;
  }

  async remove(name: string): Promise<void> {
    await this.#client.send(new this.#sdk.DeleteObjectCommand(this.#at(name)), brief());
  }

  async check(): Promise<void> {
    // With its error in a body, which the answer to a HEAD does not have.
    const input = { Bucket: this.#bucket, Prefix: this.#prefix, MaxKeys: 1 };
    await this.#client.send(new this.#sdk.ListObjectsV2Command(input), brief());
  }

  close(): void {
    this.#client.destroy();
  }

  #at(name: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#bucket, Key: this.#prefix + name };
  }

  async #send(
    name: string,
    { body: Body, size: ContentLength, sha256 }: Content,
    abortSignal: AbortSignal,
    condition: { readonly IfNoneMatch?: '*' } = {},
  ): Promise<void> {
    const input = { ...this.#at(name), ...condition, Body, ContentLength };
    const command = new this.#sdk.PutObjectCommand(input);
    signContent(command, sha256);
    await this.#client.send(command, { abortSignal });
  }

  /** Passes the content on as it arrives. */
  async #read(
    name: string,
    { signal, bytesMax }: { readonly signal: AbortSignal; readonly bytesMax: number },
    take: (piece: Uint8Array) => Promise<void>,
  ): Promise<void> {
    const command = new this.#sdk.GetObjectCommand(this.#at(name));
    const response = await this.#client.send(command, { abortSignal: signal });
    const { Body, ContentLength: size = 0 } = response;
    if (!(Body instanceof Readable)) throw new Error('The store answered without a body.');
    const body = addAbortSignal(signal, Body);
    let received = 0;
    try {
      if (size > bytesMax) throw new ObjectTooLargeError(bytesMax);
      for await (const piece of body) {
        if (!(piece instanceof Uint8Array)) throw new TypeError('The body is no stream of bytes.');
        received += piece.length;
        if (received > bytesMax) throw new ObjectTooLargeError(bytesMax);
        await take(piece);
      }
    } finally {
      body.destroy();
    }
    if (received < size) throw new Error(`The store sent ${received} of ${size} bytes of ${name}.`);
  }

  /** For what the SDK does not repeat: to send a stream, and to read the body of a response. */
  async #repeated<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work(signal);
      } catch (error) {
        const isOver = attempt === attemptsMax || attemptsOf(error) > 1 || signal.aborted;
        const isFinal = this.isRefusal(error) || error instanceof ObjectTooLargeError;
        if (isOver || isFinal || storageFailure(error)) throw error;
        await delay(pauseMilliseconds * attempt);
      }
    }
  }

  isRefusal(error: unknown): boolean {
    return error instanceof this.#sdk.S3ServiceException && error.$fault === 'client';
  }

  /** Undefined for an object that is not there. */
  async #unlessAbsent<T>(work: Promise<T>): Promise<T | undefined> {
    try {
      return await work;
    } catch (error) {
      const isResponse = error instanceof this.#sdk.S3ServiceException;
      if (isResponse && absentCodes.includes(error.name)) return undefined;
      throw error;
    }
  }
}

function upTo(milliseconds: number, within?: AbortSignal): AbortSignal {
  const own = AbortSignal.timeout(milliseconds);
  return within === undefined ? own : AbortSignal.any([own, within]);
}

function endlessList(below: string): Error {
  return new Error(`The list of what begins with "${below}" in the store does not end.`);
}

function brief(): { readonly abortSignal: AbortSignal } {
  return { abortSignal: AbortSignal.timeout(requestMilliseconds) };
}

interface Content {
  readonly body: Readable | string;
  readonly size: number;
  /** Hex. */
  readonly sha256: string;
}

function contentOf(text: string): Content {
  const sha256 = createHash('sha256').update(text).digest('hex');
  return { body: text, size: Buffer.byteLength(text), sha256 };
}

const absentCodes: readonly string[] = ['NoSuchKey', 'NotFound'];

/** How often the SDK has sent the request. */
function attemptsOf(error: unknown): number {
  if (!(error instanceof Error && '$metadata' in error)) return 0;
  const { $metadata: metadata } = error;
  const isKnown = typeof metadata === 'object' && metadata !== null && 'attempts' in metadata;
  return isKnown ? Number(metadata.attempts) : 0;
}
