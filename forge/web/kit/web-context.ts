import type { FastifyRequest } from 'fastify';

import { functionCallerOf } from '#platform/function-caller.ts';

import { type Caller, isInstallation } from '../../model/caller.ts';
import {
  authorizeRepository,
  loadRepository,
  mayRead,
} from '../../repositories/repository-access.ts';
import { countOpenPulls } from '../../pulls/pull-store.ts';
import { reconciledRead } from '../../auth/reconciled-read.ts';
import type { BaseUrl } from '../../http/base-url.ts';
import type { Authenticate } from '../../http/authentication.ts';
import { type TransferCaller, transferCaller } from '../../http/transfer-limiter.ts';
import { RefusalError, refuse, refuseIntegration } from '../../errors/api-error.ts';
import type { GitRepository } from '../../git/git.ts';
import type { Ports } from '../../ports/ports.ts';
import { getRepository } from '../../repositories/get-repository.ts';
import type { Image } from '../../http/images/fetch-image.ts';
import { createSignImageUrl, type SignImageUrl } from '../../http/images/image-url.ts';
import type { Imports } from '../../imports/imports.ts';
import type { Permission } from '../../model/permission.ts';
import { fullName, type Repository } from '../../model/repository.ts';
import { findSession } from '../../auth/sessions/sign-in.ts';
import { type Session, sessionCaller } from '../../auth/sessions/session.ts';
import type { Urls } from '../../json/urls.ts';
import type { Highlighter } from '#web/highlighter.ts';
import { readCookie } from '#web/cookies.ts';

/** The request context of a page handler. */
export interface WebContext {
  readonly ports: Ports;
  readonly highlighter: Highlighter;
  /** Who asks, for limits. */
  readonly requester: TransferCaller;
  /** Does what takes git long as soon as the requester has a slot. */
  readonly inSlot: <T>(work: () => Promise<T>) => Promise<T>;
  /** Imports of repositories; undefined where the server fetches nothing from others. */
  readonly imports: Imports | undefined;
  /** Images of other servers; undefined where the server fetches none. */
  readonly images: { readonly get: (url: URL) => Promise<Image> } | undefined;
  /** Their URLs on this server. */
  readonly imageUrl: SignImageUrl;
  /** Milliseconds since the epoch, the same for everything that this request does. */
  readonly now: number;
  readonly urls: Urls;
  readonly caller: Caller;
  /** Parameters of the path, decoded; the rest of it under `*`. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Path and query as they came. */
  readonly pageUrl: string;
  /** The beginning of the URL that the browser used. */
  readonly baseUrl: string;
  /** The session of a signed-in browser; undefined if credentials came in a header. */
  readonly session: Session | undefined;
  /** The cookies that were sent. */
  readonly cookies: string | undefined;
}

/** As above, with the fields of a form. The handler must check its token. */
export interface FormContext extends WebContext {
  readonly form: URLSearchParams;
  /** The network address it comes from. */
  readonly from: string;
}

/** As above, in a repository that the caller may read. */
export interface RepositoryContext extends WebContext {
  readonly repository: Repository;
  /** What the caller may do in it. */
  readonly permission: Permission;
  readonly git: GitRepository;
  /** The rest of its open issues are no pulls. */
  readonly openPulls: number;
}

export type WebRequest = FastifyRequest<{ Params: Record<string, string> }>;

export async function readContext(
  request: WebRequest,
  { urls, baseUrl }: BaseUrl,
  {
    ports,
    authenticate,
    highlighter,
    inSlotOf,
    imagesOf,
    imports,
  }: {
    readonly ports: Ports;
    readonly authenticate: Authenticate;
    readonly highlighter: Highlighter;
    readonly inSlotOf: <T>(requester: TransferCaller, work: () => Promise<T>) => Promise<T>;
    readonly imports: Imports | undefined;
    readonly imagesOf: (requester: TransferCaller) => WebContext['images'];
  },
): Promise<WebContext> {
  const authentication = await authenticate(request);
  if (authentication.refusal) refuse(authentication.refusal);
  // Pages show more than one permission opens; files are what `contents` opens.
  const isFile = request.routeOptions.config.openToFunctions === true;
  if (isInstallation(authentication.caller) && !isFile) refuseIntegration();
  const session = await findBrowserSession(request, ports, baseUrl);
  const caller: Caller = session ? sessionCaller(session) : authentication.caller;
  const requester = transferCaller(caller, request.ip);
  const images = imagesOf(requester);
  return {
    ports,
    highlighter,
    now: ports.clock.now(),
    urls,
    baseUrl,
    session,
    cookies: request.headers.cookie,
    caller,
    requester,
    inSlot: (work) => inSlotOf(requester, work),
    imports,
    images,
    imageUrl: images ? createSignImageUrl(ports.sealing) : () => undefined,
    path: request.params,
    query: request.query instanceof URLSearchParams ? request.query : new URLSearchParams(),
    pageUrl: request.raw.url ?? '/',
  };
}

/** The session of a browser, by its cookie. Credentials in a header, and functions, have none. */
export async function findBrowserSession(
  request: FastifyRequest,
  ports: Ports,
  baseUrl: string,
): Promise<Session | undefined> {
  const { authorization, cookie } = request.headers;
  if (authorization !== undefined || functionCallerOf(request.raw) !== undefined) return undefined;
  const secret = readCookie(cookie, 'session', baseUrl);
  return secret === undefined ? undefined : findSession(ports, secret);
}

/** The new name of a renamed or transferred repository. */
export interface Moved {
  readonly movedTo: string;
}

/** Applies the API's access rules: repositories that the caller may not read are reported as not found. */
export async function loadRepositoryContext(
  context: WebContext,
): Promise<RepositoryContext | Moved> {
  const { ports, caller, path } = context;
  const { owner = '', repo = '' } = path;
  const locator = { owner, name: repo.replace(/\.git$/, '') };
  try {
    const { repository, permission, openPulls } = await reconciledRead(ports, async (sql) => {
      const authorization = await authorizeRepository(sql, caller, locator, mayRead);
      const access = await loadRepository(sql, authorization);
      return {
        ...access,
        openPulls: await countOpenPulls(sql, access.repository.id),
        networkId: authorization.networkId,
      };
    });
    const git = ports.git.repository(repository.id);
    return { ...context, repository, permission, git, openPulls };
  } catch (error) {
    if (!(error instanceof RefusalError) || error.refusal.kind !== 'moved') throw error;
    const { repositoryId } = error.refusal;
    const repository = await ports.database.read((sql) => getRepository(sql, repositoryId));
    return { movedTo: fullName(repository) };
  }
}
