import type { Readable } from 'node:stream';

import type { FastifyReply, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';

import { attachment, sentBytes } from '#platform/byte-range.ts';
import { responseEndSignal } from '#platform/response-end.ts';
import { SchemaCheck } from '#platform/schema-check.ts';

import { refuse, RefusalError } from '../errors/api-error.ts';
import type { Authenticate } from '../http/authentication.ts';
import { createBaseUrlResolver } from '../http/base-url.ts';
import { GitRefusal } from '../http/from-git-error.ts';
import { type GitTransferLimiters, runInSlot, transferCaller } from '../http/transfer-limiter.ts';
import { addObjects } from '../large-files/add-objects.ts';
import type { LfsObject } from '../large-files/lfs-object-store.ts';
import type { Caller } from '../model/caller.ts';
import type { Ports } from '../ports/ports.ts';
import { measureSize } from '../repositories/after-push.ts';
import { findObjects } from './find-objects.ts';
import type { GitAuthorization } from './git-access.ts';
import { authorizeLargeFiles, grantedHeader } from './large-file-grants.ts';
import { createLock, listedLocks, removeLock, verifiedLocks } from './large-file-locks.ts';
import type { LfsResponse, LfsRequest } from './lfs-request.ts';
import { limited } from './request-body.ts';

export const lfsMediaType = 'application/vnd.git-lfs+json';

const gibibyte = 1024 ** 3;

/** Object of Git LFS, as on GitHub. */
const objectBytesMax: number = 5 * gibibyte;
/** Objects in a batch of Git LFS; clients send a hundred at a time. */
const batchMax = 1000;
/** Body of a request about objects of Git LFS or locks. */
const bodyBytesMax = 1024 * 1024;

interface Parts {
  readonly ports: Ports;
  readonly authenticate: Authenticate;
  readonly limiters: GitTransferLimiters;
}

/**
 * Git LFS: the batch API with basic transfers, and locks
 * (https://github.com/git-lfs/git-lfs/tree/main/docs/api). Objects are read by who may fetch, written by who may push.
 */
export function createLargeFiles(
  parts: Parts,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  const { ports, authenticate } = parts;
  const baseUrlOf = createBaseUrlResolver(ports.settings);
  return async (request, reply) => {
    const url = new URL(request.raw.url ?? '/', 'http://localhost');
    // The last one: `info` may own a repository `lfs`.
    const tail = url.pathname.slice(url.pathname.lastIndexOf('/info/lfs/') + '/info/lfs/'.length);
    const lfs: LfsRequest = {
      request,
      query: url.searchParams,
      tail,
      authorize: (service) => authorizeLargeFiles(request, service, ports, authenticate),
      body: () => readJson(request),
      ports,
    };
    const oid = /^objects\/([0-9a-f]{64})$/.exec(tail)?.[1];
    if (oid !== undefined && request.method === 'GET') return sendObject(lfs, oid, reply);
    const answer =
      oid !== undefined && request.method === 'PUT'
        ? await takeObject(lfs, oid, parts, reply)
        : await answerOf(lfs, `${baseUrlOf(request.headers.host).baseUrl}${url.pathname}`);
    return reply.code(answer.status).type(lfsMediaType).send(JSON.stringify(answer.body));
  };
}

async function answerOf(lfs: LfsRequest, url: string): Promise<LfsResponse> {
  const unlock = /^locks\/(\d+)\/unlock$/.exec(lfs.tail)?.[1];
  switch (`${lfs.request.method} ${unlock === undefined ? lfs.tail : 'unlock'}`) {
    case 'POST objects/batch':
      return answerBatch(lfs, url.replace(/\/batch$/, ''));
    case 'GET locks':
      return listedLocks(lfs);
    case 'POST locks':
      return createLock(lfs);
    case 'POST locks/verify':
      return verifiedLocks(lfs);
    case 'POST unlock':
      return removeLock(lfs, unlock ?? '');
    default:
      await lfs.authorize('upload-pack');
      throw new GitRefusal(404, 'Git LFS has no such address.');
  }
}

const batchSchema = Type.Object({
  operation: Type.Union([Type.Literal('download'), Type.Literal('upload')]),
  transfers: Type.Optional(Type.Array(Type.String())),
  hash_algo: Type.Optional(Type.String()),
  objects: Type.Array(Type.Object({ oid: Type.String(), size: Type.Integer({ minimum: 0 }) })),
});

type Batch = Static<typeof batchSchema>;

const isBatch = new SchemaCheck(batchSchema);

/** What is to be done with each object. The actions are below the URL of the batch, with the credentials of the client. */
async function answerBatch(lfs: LfsRequest, objectsUrl: string): Promise<LfsResponse> {
  const { ports } = lfs;
  // Before the body is read: who may not read learns nothing.
  await lfs.authorize('upload-pack');
  const batch = await lfs.body();
  if (!isBatch.accepts(batch)) return refuseBody('The batch has no operation and objects.');
  const { operation, transfers = ['basic'], hash_algo: hash = 'sha256', objects } = batch;
  if (hash !== 'sha256') return { status: 409, body: { message: 'The hash must be sha256.' } };
  if (!transfers.includes('basic')) return refuseBody('The transfer must be basic.');
  if (objects.length > batchMax) {
    return { status: 413, body: { message: `A batch has at most ${batchMax} objects.` } };
  }
  const service = operation === 'upload' ? 'receive-pack' : 'upload-pack';
  const authorization = await lfs.authorize(service);
  const { repositoryId } = authorization;
  const oids = [...new Set(objects.map(({ oid }) => oid).filter(isOid))];
  const { own, shared } = await ports.database.read((sql) =>
    findObjects(sql, readerOf(authorization), repositoryId, oids),
  );
  if (operation === 'upload') await linkObjects(ports, authorization, [...shared.values()]);
  const known = new Map([...own, ...shared]);
  const described = objects.map((object) => ({
    oid: object.oid,
    size: object.size,
    ...whatToDo(operation, object, known.get(object.oid), {
      href: `${objectsUrl}/${object.oid}`,
      ...grantedHeader(lfs.request),
    }),
  }));
  return { status: 200, body: { transfer: 'basic', hash_algo: 'sha256', objects: described } };
}

function isOid(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

function objectError(code: number, message: string): object {
  return { error: { code, message } };
}

function whatToDo(
  operation: Batch['operation'],
  { oid, size }: Batch['objects'][number],
  known: LfsObject | undefined,
  action: { readonly href: string },
): object {
  if (!isOid(oid)) return objectError(422, 'The id is no SHA-256 in hexadecimal digits.');
  if (operation === 'download') {
    return known ? { actions: { download: action } } : objectError(404, 'There is no such object.');
  }
  if (known && known.size !== size) return objectError(422, `The object has ${known.size} bytes.`);
  if (size > objectBytesMax)
    return objectError(422, `An object has at most ${objectBytesMax} bytes.`);
  return known ? {} : { actions: { upload: action } };
}

/** What the caller may read elsewhere in the network need not be sent, and counts for the repository, too. */
async function linkObjects(
  { clock, database }: Ports,
  { repositoryId, authorizeAgain }: GitAuthorization,
  objects: readonly LfsObject[],
): Promise<void> {
  if (objects.length === 0) return;
  await database.write(async (sql) => {
    await authorizeAgain(sql, []);
    await addObjects(sql, repositoryId, objects, clock.now());
  });
}

/** Its file comes first, durably, then its row. A file without a row is removed, now or by the next prune. */
async function takeObject(
  lfs: LfsRequest,
  oid: string,
  { limiters }: Parts,
  reply: FastifyReply,
): Promise<LfsResponse> {
  const { request, ports } = lfs;
  const authorization = await lfs.authorize('receive-pack');
  const { repositoryId, caller, authorizeAgain } = authorization;
  const { own, shared } = await ports.database.read((sql) =>
    findObjects(sql, readerOf(authorization), repositoryId, [oid]),
  );
  if (own.has(oid) || shared.has(oid)) {
    streamOf(request, objectBytesMax).resume();
    await linkObjects(ports, authorization, [...shared.values()]);
    return { status: 200, body: {} };
  }
  const store = async (): Promise<void> => {
    const body = streamOf(request, objectBytesMax);
    const { file, size, sha256 } = await ports.assetFiles.write(body, objectBytesMax);
    try {
      if (sha256 !== oid) refuseWrongBytes(oid);
      const now = ports.clock.now();
      const inserted = await ports.database.write(async (sql) => {
        await authorizeAgain(sql, []);
        return addObjects(sql, repositoryId, [{ oid, size, file }], now);
      });
      if (inserted === 0) await ports.assetFiles.remove(file);
    } catch (error) {
      // After any other failure the row may be there: the next prune finds out.
      if (error instanceof RefusalError) await ports.assetFiles.remove(file);
      throw error;
    }
  };
  await runInSlot(
    limiters['receive-pack'],
    transferCaller(caller, request.ip),
    responseEndSignal(reply.raw),
    store,
  );
  measureSize(ports, repositoryId);
  return { status: 200, body: {} };
}

/** Who may read elsewhere in the network: to a deploy key, other repositories do not exist. */
function readerOf({ caller, deployKey }: GitAuthorization): Caller {
  return deployKey ? { kind: 'anonymous' } : caller;
}

function refuseWrongBytes(oid: string): never {
  return refuse({ kind: 'unprocessable', message: `The SHA-256 of the bytes is not ${oid}.` });
}

async function sendObject(
  { request, ports, authorize }: LfsRequest,
  oid: string,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const authorization = await authorize('upload-pack');
  const { repositoryId } = authorization;
  const { own, shared } = await ports.database.read((sql) =>
    findObjects(sql, readerOf(authorization), repositoryId, [oid]),
  );
  const object = own.get(oid) ?? shared.get(oid);
  if (!object) throw new GitRefusal(404, 'There is no such object.');
  const { status, length, range, headers } = sentBytes(request.headers, object.size, `"${oid}"`);
  return reply
    .code(status)
    .headers({
      ...headers,
      'content-type': 'application/octet-stream',
      'content-disposition': attachment(oid),
      'content-length': length,
      'cache-control': 'private, no-cache',
      etag: `"${oid}"`,
    })
    .send(status === 416 ? '' : await ports.assetFiles.open(object.file, range));
}

async function readJson(request: FastifyRequest): Promise<unknown> {
  const pieces: Buffer[] = [];
  for await (const piece of streamOf(request, bodyBytesMax)) pieces.push(Buffer.from(piece));
  try {
    return JSON.parse(Buffer.concat(pieces).toString());
  } catch {
    throw new GitRefusal(400, 'The body is no JSON.');
  }
}

function streamOf(request: FastifyRequest, bytesMax: number): Readable {
  return limited(request.raw, bytesMax);
}

function refuseBody(message: string): LfsResponse {
  return { status: 422, body: { message } };
}
