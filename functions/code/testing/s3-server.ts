import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

import { computeSignature, deriveKey } from '#platform/sigv4/compute-signature.ts';

import type { S3Location } from '../archives/archives-location.ts';

/** What a bucket has under a key. */
interface Stored {
  readonly content: Buffer;
  /** Milliseconds since the epoch. */
  modified: number;
}

/** Answers a request in place of the store; false: the store answers. */
type Fault = (request: S3Request, response: ServerResponse) => boolean;

export interface S3Request {
  readonly method: string;
  /** Without the bucket. */
  readonly key: string;
  readonly query: URLSearchParams;
}

/** A bucket over the part of the S3 protocol that archives need: signatures, content hashes, pages of lists, copies. */
export interface S3Server {
  readonly location: S3Location & { readonly kind: 's3' };
  readonly objects: Map<string, Stored>;
  /** All requests, as `METHOD key`. */
  readonly requests: string[];
  fault: Fault | undefined;
  /** What it does with `If-None-Match`: as S3, or as stores that do not know it. */
  conditions: 'met' | 'ignored' | 'refused';
  /** What the clock of the store is ahead of that of this host. */
  ahead: number;
  close(): Promise<void>;
}

const key = { id: 'AKIAIOSFODNN7EXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' };
const bucket = 'code';
/** Fewer than S3 has, so that lists of tests have pages. */
const pageMax = 3;

export async function startS3Server(prefix = 'hob/'): Promise<S3Server> {
  const objects = new Map<string, Stored>();
  const requests: string[] = [];
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const { port } = server.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}`;
  const store: S3Server = {
    location: { kind: 's3', bucket, prefix, endpoint, region: 'us-east-1', key },
    objects,
    requests,
    fault: undefined,
    conditions: 'met',
    ahead: 0,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const content = await buffer(request);
    const { method = '', url = '' } = request;
    const { pathname, searchParams: query } = new URL(url, endpoint);
    const [, name = '', ...rest] = decodeURIComponent(pathname).split('/');
    const found = { method, key: rest.join('/'), query };
    requests.push(`${method} ${found.key}`);
    if (store.fault?.(found, response)) return;
    const refusal = refusalOf(request, content) ?? (name === bucket ? undefined : noSuchBucket);
    if (refusal) sendError(response, refusal);
    else serve(found, request, content, response);
  }

  function serve(
    { method, key: name, query }: S3Request,
    request: IncomingMessage,
    content: Buffer,
    response: ServerResponse,
  ): void {
    const stored = objects.get(name);
    const modified = Math.trunc((Date.now() + store.ahead) / 1000) * 1000;
    if (method === 'GET' && name === '') {
      response.end(list(query));
    } else if (method === 'PUT') {
      const [, , ...from] = decodeURIComponent(String(request.headers['x-amz-copy-source'] ?? ''))
        .replace(/^\/?/, '/')
        .split('/');
      const source = from.length > 0 ? objects.get(from.join('/')) : { content };
      const condition = request.headers['if-none-match'] === '*' ? store.conditions : 'ignored';
      if (condition === 'refused') sendError(response, notImplemented);
      else if (condition === 'met' && stored) sendError(response, preconditionFailed);
      else if (!source) sendError(response, noSuchKey);
      else {
        objects.set(name, { content: source.content, modified });
        response.end(from.length > 0 ? '<CopyObjectResult></CopyObjectResult>' : '');
      }
    } else if (method === 'DELETE') {
      objects.delete(name);
      response.writeHead(204).end();
    } else if (!stored) {
      sendError(response, noSuchKey);
    } else {
      response.setHeader('last-modified', new Date(stored.modified).toUTCString());
      response.setHeader('content-length', stored.content.length);
      response.end(method === 'HEAD' ? undefined : stored.content);
    }
  }

  function list(query: URLSearchParams): string {
    const after = query.get('continuation-token') ?? '';
    const most = Math.min(Number(query.get('max-keys') ?? pageMax), pageMax);
    const names = [...objects.keys()]
      .filter((name) => name.startsWith(query.get('prefix') ?? '') && name > after)
      .toSorted();
    const page = names.slice(0, most);
    const entries = page.map((name) => {
      const time = new Date(objects.get(name)?.modified ?? 0).toISOString();
      return `<Contents><Key>${name}</Key><LastModified>${time}</LastModified><Size>0</Size></Contents>`;
    });
    const isTruncated = names.length > page.length;
    const token = isTruncated
      ? `<NextContinuationToken>${page.at(-1) ?? ''}</NextContinuationToken>`
      : '';
    return `<ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${token}${entries.join('')}</ListBucketResult>`;
  }

  return store;
}

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

const noSuchBucket: Refusal = {
  status: 404,
  code: 'NoSuchBucket',
  message: 'The specified bucket does not exist',
};
const noSuchKey: Refusal = {
  status: 404,
  code: 'NoSuchKey',
  message: 'The specified key does not exist.',
};

const preconditionFailed: Refusal = {
  status: 412,
  code: 'PreconditionFailed',
  message: 'At least one of the pre-conditions you specified did not hold',
};
const notImplemented: Refusal = {
  status: 501,
  code: 'NotImplemented',
  message: 'A header you provided implies functionality that is not implemented',
};

export function sendError(response: ServerResponse, { status, code, message }: Refusal): void {
  response
    .writeHead(status, { 'content-type': 'application/xml' })
    .end(`<Error><Code>${code}</Code><Message>${message}</Message></Error>`);
}

/** As S3 checks them: the signature of the request, then the hash of the content in it. */
function refusalOf(request: IncomingMessage, content: Buffer): Refusal | undefined {
  const { headers, method = '', url = '' } = request;
  const [, id, scope = '', names = '', signature] =
    /Credential=([^/]+)\/([^,]+), SignedHeaders=([^,]+), Signature=(\w+)/.exec(
      headers.authorization ?? '',
    ) ?? [];
  if (id !== key.id) return { status: 403, code: 'InvalidAccessKeyId', message: 'Unknown key.' };
  const signedHeaders = names.split(';');
  const { pathname, search } = new URL(url, 'http://store');
  const payloadHash = String(headers['x-amz-content-sha256']);
  const signed = {
    method,
    path: pathname,
    query: search.slice(1).split('&').toSorted().map(withEquals).join('&'),
    headers: signedHeaders.map((name) => `${name}:${String(headers[name])}\n`).join(''),
    signedHeaders,
    payloadHash,
  };
  const time = String(headers['x-amz-date']);
  const expected = computeSignature(signed, { time, scope }, deriveKey(key.secret, scope));
  if (expected.toString('hex') !== signature) {
    return { status: 403, code: 'SignatureDoesNotMatch', message: 'The signature is another.' };
  }
  // Every content is signed: a store could not refuse a damaged one otherwise.
  if (payloadHash === createHash('sha256').update(content).digest('hex')) return undefined;
  return { status: 400, code: 'XAmzContentSHA256Mismatch', message: 'The hash is another.' };
}

function withEquals(parameter: string): string {
  return parameter === '' || parameter.includes('=') ? parameter : `${parameter}=`;
}
