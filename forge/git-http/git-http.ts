import { PassThrough, type Readable } from 'node:stream';

import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';

import { openToFunctions } from '#platform/function-caller.ts';
import { inLineageOf } from '#platform/invocation-lineage.ts';
import { passiveContentHeaders } from '#platform/passive-content.ts';
import { pipeThrough } from '#platform/pipe-through.ts';
import { present } from '#platform/present.ts';
import { responseEndSignal } from '#platform/response-end.ts';

import type { Authenticate } from '../http/authentication.ts';
import { type Refusal, RefusalError } from '../errors/api-error.ts';
import { renderRefusal } from '../errors/error-responses.ts';
import { refusalOfError, GitRefusal } from '../http/from-git-error.ts';
import { refusalOfProtocol } from '../http/error-handler.ts';
import { flushPacket, formatPacket, formatSideband } from '../git/format/pkt-line.ts';
import type { GitService } from '../git/git.ts';
import { GitError } from '../git/git-error.ts';
import type { Ports } from '../ports/ports.ts';
import { callerAccountId } from '../model/caller.ts';
import { authorizeGit, type GitAuthorization } from './git-access.ts';
import { createLargeFiles, lfsMediaType } from './large-files.ts';
import { takePush } from './push.ts';
import { requestBody } from './request-body.ts';
import {
  type GitTransferLimiters,
  startTransfer,
  transferCaller,
} from '../http/transfer-limiter.ts';

/** Proxies must not cache git's responses. */
const noStoreHeaders = {
  'cache-control': 'no-cache, max-age=0, must-revalidate',
  expires: 'Fri, 01 Jan 1980 00:00:00 GMT',
  pragma: 'no-cache',
} as const;

/**
 * git over smart HTTP, at `/:owner/:repo.git` and without the suffix: three routes, each deciding about access by itself, and
 * those of Git LFS. It is not in the API's pipeline: its clients are git's.
 */
export function gitOverHttp(
  ports: Ports,
  authenticate: Authenticate,
  limiters: GitTransferLimiters,
): (server: FastifyInstance) => Promise<void> {
  return async (server) => {
    server.removeAllContentTypeParsers();
    // Packs stream through: nothing of a body is read before the handler asks for it.
    server.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    server.addHook('onRequest', (_request, reply, done) => {
      reply.headers(passiveContentHeaders);
      done();
    });
    const parts: Parts = { ports, authenticate, limiters };
    server.setErrorHandler(async (error, request, reply) =>
      sendError(await causeOf(error, request, parts), request, reply),
    );
    server.get('/:owner/:repo/info/refs', { config: openToFunctions }, (request, reply) =>
      advertise(request, reply, parts),
    );
    server.post('/:owner/:repo/git-upload-pack', takes('upload-pack'), (request, reply) =>
      uploadPack(request, reply, parts),
    );
    server.post('/:owner/:repo/git-receive-pack', takes('receive-pack'), (request, reply) =>
      receivePack(request, reply, parts),
    );
    await server.register(async (lfs) => {
      lfs.setErrorHandler(async (error, request, reply) => sendLfsError(error, request, reply));
      lfs.route({
        config: openToFunctions,
        method: ['GET', 'POST', 'PUT', 'DELETE'],
        url: '/:owner/:repo/info/lfs/*',
        handler: createLargeFiles(parts),
      });
    });
  };
}

interface Parts {
  readonly ports: Ports;
  readonly authenticate: Authenticate;
  readonly limiters: GitTransferLimiters;
}

/** Requires git's content type, like git-http-backend: HTML forms cannot send it to another origin. */
function takes(service: GitService): RouteShorthandOptions {
  const type = `application/x-git-${service}-request`;
  return {
    config: openToFunctions,
    onRequest(request, _reply, done) {
      const [sent = ''] = (request.headers['content-type'] ?? '').split(';', 1);
      if (sent.trim().toLowerCase() === type) done();
      else done(new GitRefusal(415, `The Content-Type must be ${type}.`));
    },
  };
}

async function advertise(
  request: FastifyRequest,
  reply: FastifyReply,
  { ports, authenticate, limiters }: Parts,
): Promise<FastifyReply> {
  const service = serviceOf(request);
  const authorization = await authorizeGit(request, service, ports, authenticate);
  const headers = await transferHeaders(ports, authorization, `${service}-advertisement`);
  const refs = await startTransfer(
    limiters[service],
    transferCaller(authorization.caller, request.ip),
    responseEndSignal(reply.raw),
    async () => {
      const repository = ports.git.repository(authorization.repositoryId);
      return {
        stream: afterPreamble(service, await repository.advertise(service, protocolOf(request))),
      };
    },
  );
  return reply.headers(headers).send(refs);
}

/** Known before the transfer begins: nothing may wait between its stream and the response. */
async function transferHeaders(
  { ownerHeaders }: Ports,
  { repositoryId }: GitAuthorization,
  type: string,
): Promise<Record<string, string>> {
  const owner = await ownerHeaders?.(repositoryId);
  return { ...noStoreHeaders, ...owner, 'content-type': `application/x-git-${type}` };
}

/** Over HTTP the name of the service comes first (https://git-scm.com/docs/gitprotocol-http, "Smart Server Response"). */
export function afterPreamble(service: GitService, advertisement: Readable): Readable {
  const output = new PassThrough();
  output.write(Buffer.concat([formatPacket(`# service=git-${service}\n`), flushPacket]));
  return pipeThrough(advertisement, output);
}

async function uploadPack(
  request: FastifyRequest,
  reply: FastifyReply,
  { ports, authenticate, limiters }: Parts,
): Promise<FastifyReply> {
  const authorization = await authorizeGit(request, 'upload-pack', ports, authenticate);
  const headers = await transferHeaders(ports, authorization, 'upload-pack-result');
  const response = await startTransfer(
    limiters['upload-pack'],
    transferCaller(authorization.caller, request.ip),
    responseEndSignal(reply.raw),
    async () => ({
      stream: await ports.git
        .repository(authorization.repositoryId)
        .uploadPack(requestBody(request, 'upload-pack'), protocolOf(request)),
    }),
  );
  return reply.headers(headers).send(response);
}

async function receivePack(
  request: FastifyRequest,
  reply: FastifyReply,
  { ports, authenticate, limiters }: Parts,
): Promise<FastifyReply> {
  const authorization = await authorizeGit(request, 'receive-pack', ports, authenticate);
  const headers = await transferHeaders(ports, authorization, 'receive-pack-result');
  const output = await startTransfer(
    limiters['receive-pack'],
    transferCaller(authorization.caller, request.ip),
    responseEndSignal(reply.raw),
    () =>
      inLineageOf(request.raw, () =>
        takePush(ports, {
          repositoryId: authorization.repositoryId,
          pusherId: callerAccountId(authorization.caller),
          onlyBranches: authorization.onlyBranches,
          authorizeAgain: authorization.authorizeAgain,
          deployKey: false,
          staysOpen: false,
          body: requestBody(request, 'receive-pack'),
          protocol: protocolOf(request),
          log: request.log,
        }),
      ),
  );
  return reply.headers(headers).send(output);
}

/** Clients of Git LFS show the message of a response in their media type. */
function sendLfsError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, message, headers } = describeError(error, request);
  if (status === 401) headers['lfs-authenticate'] = 'Basic realm="Hob"';
  return reply
    .code(status)
    .headers(headers)
    .type(lfsMediaType)
    .send(JSON.stringify({ message, request_id: request.id }));
}

function serviceOf(request: FastifyRequest): GitService {
  const { searchParams } = new URL(request.raw.url ?? '/', 'http://localhost');
  const requested = searchParams.get('service');
  if (requested === 'git-upload-pack') return 'upload-pack';
  if (requested === 'git-receive-pack') return 'receive-pack';
  throw new GitRefusal(
    403,
    'The dumb HTTP protocol is not supported. Please upgrade your git client.',
  );
}

function protocolOf(request: FastifyRequest): string | undefined {
  const value = request.headers['git-protocol'];
  return typeof value === 'string' ? value : undefined;
}

/**
 * If the files are missing because the repository was deleted meanwhile, the response is 404. A body that is refused while it
 * arrives ends the request to the git process, which fails with it.
 */
async function causeOf(
  error: unknown,
  request: FastifyRequest,
  { ports, authenticate }: Parts,
): Promise<unknown> {
  if (!(error instanceof GitError)) return error;
  if (error.cause instanceof GitRefusal) return error.cause;
  if (error.kind !== 'missing-repository') return error;
  try {
    await authorizeGit(request, 'upload-pack', ports, authenticate);
    return error;
  } catch (refusal) {
    return refusal;
  }
}

/**
 * git shows its user nothing of a response to a POST but the status, unless that is 200: the message is a packet of the
 * protocol (https://git-scm.com/docs/gitprotocol-pack, "error-line" and "side-band-64k").
 */
function sendLimit(service: GitService, message: string, reply: FastifyReply): FastifyReply {
  const packet =
    service === 'upload-pack'
      ? formatPacket(`ERR ${message}\n`)
      : // Refs may have moved: their rows follow in the background.
        formatSideband(3, Buffer.from(`${message} Fetch to see which refs moved.\n`));
  return reply
    .code(200)
    .headers({ ...noStoreHeaders, 'content-type': `application/x-git-${service}-result` })
    .send(packet);
}

/** The service of a POST of git's protocol. */
function postedService({ routeOptions }: FastifyRequest): GitService | undefined {
  return (['upload-pack', 'receive-pack'] as const).find((service) =>
    routeOptions.url?.endsWith(`/git-${service}`),
  );
}

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const refusal = refusalOf(error, request);
  if (refusal?.kind === 'git-limit') {
    request.log.warn({ err: error, requestId: request.id }, 'git exceeded its limits');
    const service = postedService(request);
    if (service) return sendLimit(service, renderRefusal(refusal).message, reply);
  }
  const { status, message, headers } = describeError(error, request);
  return reply.code(status).headers(headers).type('text/plain; charset=utf-8').send(`${message}\n`);
}

function refusalOf(error: unknown, request: FastifyRequest): Refusal | undefined {
  if (error instanceof GitRefusal) return undefined;
  if (error instanceof RefusalError) return error.refusal;
  return refusalOfError(error) ?? refusalOfProtocol(error, request);
}

/** The response to an error, as readable text. */
function describeError(
  error: unknown,
  request: FastifyRequest,
): { status: number; message: string; headers: Record<string, string | number> } {
  const refusal = refusalOf(error, request);
  if (refusal) {
    const { status, message, retryAfterSeconds } = renderRefusal(refusal);
    const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': retryAfterSeconds };
    return { status, message, headers };
  }
  if (!(error instanceof GitRefusal)) {
    request.log.error({ err: error, requestId: request.id }, 'git request failed');
    return { status: 500, message: `Server Error (${request.id})`, headers: {} };
  }
  const { status, message, location, retryAfterSeconds } = error;
  const headers = present({
    'www-authenticate': status === 401 ? 'Basic realm="Hob"' : undefined,
    location,
    'retry-after': retryAfterSeconds,
  });
  return { status, message, headers };
}
