import { Readable } from 'node:stream';

import type { FastifyReply, FastifyRequest } from 'fastify';

import { inLineageOf } from '#platform/invocation-lineage.ts';
import { present } from '#platform/present.ts';
import { onResponseEnd } from '#platform/response-end.ts';

import { type Caller, isInstallation, type UserCaller } from '../model/caller.ts';
import { notFoundIfDeleted } from '../repositories/get-repository.ts';
import type { RepositoryLocator } from '../repositories/repository-access.ts';
import { afterReconciliation, reconciledRead } from '../auth/reconciled-read.ts';
import { holdsAny } from '../model/scopes.ts';
import { rememberTimeZone } from '../accounts/account-store.ts';
import { runAsTransfer, type TransferLimiter } from '../http/transfer-limiter.ts';
import type { Ports } from '../ports/ports.ts';
import { type CacheValidity, readValidity, type ResponseCache } from '../http/response-cache.ts';
import { vendor } from '../json/vendor.ts';
import { compressed } from '../http/compression.ts';
import type { AccessDecision, AccessDecisions } from './authorize-operation.ts';
import { authorizeOperation } from './authorize-operation.ts';
import type { Endpoint, EndpointRequest } from './endpoint.ts';
import { confirmCaller } from '../http/authentication.ts';
import { bodyParser, parseJsonObject } from '../http/json-body.ts';
import { readPage } from '../http/pagination.ts';
import { notFound, refuse, refuseIntegration } from '../errors/api-error.ts';
import { resourceOf } from '../http/resource-names.ts';
import type { RequestUpload } from '../http/request-context.ts';
import { byIdOwner } from '../http/request-path.ts';
import { queryOf } from '../http/request-state.ts';
import { type ResponseSender, sendStream } from '../http/send-response.ts';
import { parseTimeZone, zoneOffsetMinutes } from '../http/time-zone.ts';
import { jsonType } from '../http/http-response.ts';
import { render } from './render-result.ts';

export interface RunnerParts {
  readonly ports: Ports;
  readonly decisions: AccessDecisions;
  readonly cache: ResponseCache;
  readonly sender: ResponseSender;
  /** For answers that are streamed. */
  readonly transfers: TransferLimiter;
  readonly slow: TransferLimiter; // For what takes git long.
  /** For bodies that are held in memory while they arrive. */
  readonly largeBodies: TransferLimiter;
}

type DecisionParts = Pick<RunnerParts, 'ports' | 'decisions'>;
type BodyReader = (bytes: Buffer | undefined, arrayField: string | undefined) => unknown;
export type RouteHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Runs an endpoint in a fixed order: access, validation, handler. Handlers never see raw input. */
export function endpointRunner(endpoint: Endpoint, parts: RunnerParts): RouteHandler {
  const { ports, cache, sender } = parts;
  const { path, transfer } = endpoint.declaration;
  const hasBody = Object.keys(endpoint.bodySchema.properties).length > 0;
  const resource = hasBody ? resourceOf(path) : 'Request';
  const check = bodyParser(endpoint.bodySchema, resource);
  const parseBody: BodyReader = (bytes, arrayField) =>
    check(parseJsonObject(bytes, resource, arrayField));
  return async (request, reply) => {
    const authorized = await accessOf(endpoint, request, parts);
    checkMediaType(endpoint, request, ports);
    const access = authorized?.access;
    const upload = uploadOf(endpoint, request, parts);
    const input = {
      ...readInput(endpoint, request, ports, parseBody),
      ...present({ upload }),
      onEnd: (listener: () => void) => onResponseEnd(reply.raw, listener),
      inSlowSlot: <T>(work: () => Promise<T>) => runAsTransfer(parts.slow, request, reply, work),
    };
    const withFiles = <T>(work: () => Promise<T>): Promise<T> =>
      access ? notFoundIfDeleted(ports.database, access.repository.id, work) : work();
    const run = () =>
      inLineageOf(request.raw, () => withFiles(() => endpoint.run(input, access, ports)));
    const result = await (transfer ? runAsTransfer(parts.transfers, request, reply, run) : run());
    const rendered = await render(endpoint, result, request, input, access);
    if (rendered.stream) {
      if (request.forge.callback !== undefined && rendered.contentType === jsonType) {
        const message = 'A response of this size cannot be wrapped in a callback.';
        return refuse({ kind: 'forbidden', message });
      }
      const { bytes, open } = rendered.stream;
      const stream = { bytes, open: () => withFiles(open) };
      return sendStream(rendered, stream, request, reply, parts);
    }
    const response = await compressed(rendered, request);
    const lasting = result.kind !== 'json' || result.cacheable !== false;
    if (authorized?.validity && lasting) {
      cache.store(request, authorized.validity, response, sender.headersOf(request, response));
    }
    return sender.send(request, reply, response);
  };
}

interface Authorized extends Pick<AccessDecision, 'access'> {
  /** undefined where the response is not cached. */
  readonly validity: CacheValidity | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The decision about access by the head of a request that may have a body (register-endpoints.ts). */
    accessDecision?: { readonly authorized: Authorized | undefined };
  }
}

/** The decision by the head of the request (register-endpoints.ts), made again if its body came later. For GET it is made here. */
async function accessOf(
  endpoint: Endpoint,
  request: FastifyRequest,
  parts: DecisionParts,
): Promise<Authorized | undefined> {
  if (request.accessDecision && !request.forge.bodyAwaited)
    return request.accessDecision.authorized;
  if (request.accessDecision) await authenticateAgain(request, parts.ports);
  return decideAccess(endpoint, request, parts);
}

function uploadOf(
  endpoint: Endpoint,
  request: FastifyRequest,
  parts: DecisionParts,
): RequestUpload | undefined {
  if (endpoint.declaration.takesUpload !== true) return undefined;
  const { body } = request;
  const length = header(request, 'content-length');
  return {
    content: body instanceof Readable ? body : Readable.from([]),
    contentType: header(request, 'content-type'),
    bytes: length === undefined ? undefined : Number(length),
    async confirmAccess() {
      await authenticateAgain(request, parts.ports);
      await decideAccess(endpoint, request, parts);
    },
  };
}

/** A body may take hours to arrive; meanwhile a token may be revoked or a password changed. */
async function authenticateAgain({ forge }: FastifyRequest, ports: Ports): Promise<void> {
  const now = ports.clock.now();
  const caller = await ports.database.read((sql) => confirmCaller(sql, forge, now));
  forge.caller = caller ?? refuse({ kind: 'bad-credentials' });
}

/** Refuses callers without access to the endpoint. */
export async function decideAccess(
  endpoint: Endpoint,
  request: FastifyRequest,
  { ports, decisions }: DecisionParts,
): Promise<Authorized | undefined> {
  const { access } = endpoint;
  const { caller } = request.forge;
  switch (access.kind) {
    case 'anyone':
      return undefined;
    case 'user': {
      if (access.installations && isInstallation(caller)) return undefined;
      const user = requireUser(request);
      if (access.scopes.length > 0 && !holdsAny(user.scopes, access.scopes)) notFound();
      return undefined;
    }
    case 'site-admin': {
      const user = requireUser(request);
      if (!user.account.siteAdmin || !holdsAny(user.scopes, ['site_admin'])) {
        return refuse({ kind: 'not-found' });
      }
      return undefined;
    }
    case 'app':
      if (caller.kind === 'app') return undefined;
      return refuse({ kind: 'invalid-jwt', message: 'A JSON web token could not be decoded' });
    case 'installation':
      if (isInstallation(caller)) return undefined;
      if (caller.kind !== 'user') return refuse({ kind: 'requires-authentication' });
      return refuse({ kind: 'forbidden', message: access.refusal });
    case 'repository': {
      const locator = locatorOf(request);
      const { operation } = endpoint.declaration;
      const { policy } = access;
      const parameters = parametersOf(request);
      const asked = { operation, policy, locator, parameters };
      if (!isCacheable(endpoint, request, caller)) {
        const decide = (): Promise<AccessDecision> =>
          ports.database.read((sql) => authorizeOperation(sql, caller, asked));
        const decision = await afterReconciliation(ports.reconciliation, () =>
          decisions.find(caller, operation, locator, decide),
        );
        return { ...decision, validity: undefined };
      }
      return reconciledRead(ports, async (sql) => {
        const decision = await authorizeOperation(sql, caller, asked);
        // Read before the response is computed, which may show only part of a concurrent write.
        return { ...decision, validity: await readValidity(sql, request, decision.networkId) };
      });
    }
  }
}

function requireUser(request: FastifyRequest): UserCaller {
  const { caller } = request.forge;
  if (isInstallation(caller)) return refuseIntegration();
  return caller.kind === 'user' ? caller : refuse({ kind: 'requires-authentication' });
}

function locatorOf(request: FastifyRequest): RepositoryLocator {
  const { owner = '', repo = '' } = parametersOf(request);
  return owner === byIdOwner ? { id: numberParameter(repo) } : { owner, name: repo };
}

function checkMediaType(endpoint: Endpoint, request: FastifyRequest, ports: Ports): void {
  const { formats, preview } = endpoint.declaration;
  const { media } = request.forge;
  const { previews, vendor: word } = ports.settings;
  if (media.exact && media.format !== 'json' && formats?.includes(media.format) !== true) {
    refuse({ kind: 'unsupported-media-parameter', parameter: media.format });
  }
  if (!preview || previews === 'lenient' || media.previews.includes(preview.name)) return;
  if (namesDatedVersion(request, word)) return;
  refuse({
    kind: 'preview-required',
    preview: `application/vnd.${word}.${preview.name}-preview+json`,
    feature: preview.feature,
  });
}

/** `X-<Vendor>-Api-Version: 2022-11-28`: versions named by a date include all former previews. */
function namesDatedVersion(request: FastifyRequest, word: string): boolean {
  const name = `${vendor(word).headerPrefix.toLowerCase()}api-version`;
  return /^\d{4}-\d{2}-\d{2}$/.test(header(request, name) ?? '');
}

/** The tokens of Apps expire, and those of installations depend on more than a generation says. */
function isCacheable({ declaration }: Endpoint, request: FastifyRequest, caller: Caller): boolean {
  if (caller.kind === 'app' || isInstallation(caller)) return false;
  return declaration.cacheable === true && declaration.cacheableUnless?.(queryOf(request)) !== true;
}

function readInput(
  endpoint: Endpoint,
  request: FastifyRequest,
  ports: Ports,
  parseBody: BodyReader,
): EndpointRequest<string, unknown> {
  const { caller, countIn, media, overLimit, rate, rateOf, urls } = request.forge;
  if (!rate) throw new Error('an endpoint ran before its request was counted');
  const bytes = Buffer.isBuffer(request.body) ? request.body : undefined;
  const query = queryOf(request);
  const path = Object.fromEntries(
    Object.entries(parametersOf(request)).map(([name, value]) => [
      name,
      /_(?:id|number)$/.test(name) ? numberParameter(value) : value,
    ]),
  );
  const requested = parseTimeZone(header(request, 'time-zone'));
  if (requested !== undefined) remember(requested, caller, ports);
  const { arrayField, method, pageSizeDefault, pageSizeFixed } = endpoint.declaration;
  const zone = requested ?? (caller.kind === 'user' ? caller.account.timeZone : null) ?? 'UTC';
  return {
    path,
    query,
    body: method === 'GET' ? {} : parseBody(bytes, arrayField),
    caller,
    page: readPage(query, pageSizeDefault, pageSizeFixed),
    media,
    urls,
    rate,
    overLimit,
    rateOf,
    countIn,
    countCreation: request.forge.countCreation,
    now: ports.clock.now(),
    requestId: request.id,
    zoneOffset: (at) => zoneOffsetMinutes(zone, at),
  };
}

/** A request without a time zone uses the last one that its user sent (docs/specification/forge.md 7.4). */
function remember(zone: string, caller: Caller, ports: Ports): void {
  // The installations of an App share its bot.
  if (caller.kind !== 'user' || isInstallation(caller) || caller.account.timeZone === zone) return;
  const { id } = caller.account;
  ports.background.run(`time zone of account ${id}`, () =>
    ports.database.write((sql) => rememberTimeZone(sql, id, zone)),
  );
}

function parametersOf(request: FastifyRequest): Record<string, string> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the router's parameters are texts
  return request.params as Record<string, string>;
}

function numberParameter(text: string): number {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : refuse({ kind: 'not-found' });
}

function header(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
