import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { openToFunctions } from '#platform/function-caller.ts';

import type { PasswordSignIn } from '../auth/password-sign-in.ts';
import { createAddressBook } from '../http/base-url.ts';
import type { Endpoint } from '../routing/endpoint.ts';
import { startTransfer, transferCaller, type TransferGate } from '../http/transfer-gate.ts';
import { notFound } from '../errors/api-error.ts';
import type { Ports } from '../ports/ports.ts';
import { exchangeResponse } from './kit/access-token.ts';
import { homeAddress, accountSegment, isBrowser } from './kit/page-paths.ts';
import { siteFrame, type Viewer } from './kit/site-frame.ts';
import { registerAssets } from '#web/asset-routes.ts';
import { showAccount } from './pages/account.ts';
import {
  appAddress,
  installationsAddress,
  installAddress,
  newAppAddress,
  newOrganizationAppAddress,
  showApp,
  showInstall,
  showInstallations,
  showNewApp,
  takeInstallation,
  takeManifest,
  uninstall,
} from './pages/apps.ts';
import { applicationsAddress, revokeApplication, showApplications } from './pages/applications.ts';
import { authorizeAddress, showConsent, takeConsent } from './pages/authorize.ts';
import { showAvatar } from './pages/avatar.ts';
import { showBlob, showRaw } from './pages/blob.ts';
import { showBranches } from './pages/branches.ts';
import { showCommit } from './pages/commit.ts';
import { showCommits } from './pages/commits.ts';
import { showComparison } from './pages/compare.ts';
import { docsPages } from './pages/docs.ts';
import { goImportAddress, showGoImport } from './pages/go-import.ts';
import { showHome } from './pages/home.ts';
import { showInvitations } from './pages/invitations.ts';
import type { ActContext } from './pages/discussion-acts.ts';
import { takePullAct } from './pages/pull-acts.ts';
import { showPull } from './pages/pull.ts';
import { createPerform, type Perform } from './kit/perform.ts';
import { showPulls } from './pages/pulls.ts';
import { showRepository } from './pages/repository.ts';
import {
  codeAddress,
  showCodeForm,
  showSignIn,
  takeCode,
  takePassword,
  signOut,
} from './pages/sign-in.ts';
import { endToken, makeToken, showTokens, tokensAddress } from './pages/tokens.ts';
import { showTree } from './pages/tree.ts';
import { formBytesMax, readForeignForm, readForm } from '#web/form.ts';
import { send, sendStream } from '#web/send-page.ts';
import { absentPage, responseToError } from './kit/web-errors.ts';
import type { StreamResponse, WebResponse } from '#web/web-response.ts';
import {
  enterRepository,
  type FormContext,
  readContext,
  type RepositoryContext,
  type WebContext,
  type WebRequest,
} from './kit/web-context.ts';
import { formWithSession, withSession } from './kit/with-session.ts';

type Handler = (context: WebContext) => Promise<WebResponse | StreamResponse>;
type FormHandler = (context: FormContext) => Promise<WebResponse>;

/** The pages of the forge. */
export interface WebPages {
  readonly register: (server: FastifyInstance) => Promise<void>;
  /**
   * Answers a browser that asks for an address where nothing is with a page; undefined for other requests. Called before the API's
   * pipeline, so that such requests do not count against the limits of its callers.
   */
  readonly answerUnrouted: (
    request: WebRequest,
    reply: FastifyReply,
  ) => Promise<FastifyReply> | undefined;
}

/**
 * The web pages behind `html_url` and similar members: without scripts; only forms change anything. They are not part of the
 * API's pipeline, but share its access rules.
 */
export function webPages(
  ports: Ports,
  passwords: PasswordSignIn,
  endpoints: readonly Endpoint[],
  transfers: TransferGate,
): WebPages {
  const addresses = createAddressBook(ports.settings);
  const viewerOf = (request: FastifyRequest, context?: WebContext): Viewer => ({
    urls: addresses(request.headers.host).urls,
    session: context?.session,
    // The target of a form is not a page to return to after sign-in.
    address: request.method === 'POST' ? '/' : (request.raw.url ?? '/'),
  });
  /** Errors are rendered in the frame of the signed-in user, if known. */
  const response = async (
    request: WebRequest,
    reply: FastifyReply,
    handle: (context: WebContext) => Promise<WebResponse | StreamResponse>,
  ): Promise<FastifyReply> => {
    let context: WebContext | undefined;
    try {
      context = await readContext(request, addresses(request.headers.host), ports, passwords);
      const created = await handle(context);
      if (created.kind === 'stream') {
        const caller = transferCaller(context.caller, request.ip);
        return await sendStream(request, reply, created, (open) =>
          startTransfer(transfers, caller, reply.raw, async () => ({ stream: await open() })),
        );
      }
      return await send(request, reply, created, siteFrame(viewerOf(request, context)));
    } catch (error) {
      const viewer = viewerOf(request, context);
      return send(request, reply, responseToError(error, request, viewer), siteFrame(viewer));
    }
  };
  const register = async (server: FastifyInstance): Promise<void> => {
    server.removeAllContentTypeParsers();
    server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body),
    );
    server.setErrorHandler((error, request, reply) => {
      const viewer = viewerOf(request);
      return send(request, reply, responseToError(error, request, viewer), siteFrame(viewer));
    });
    for (const [path, handler, config = {}] of routes(endpoints)) {
      server.get(path, { config }, (request: WebRequest, reply) =>
        response(request, reply, handler),
      );
    }
    for (const [path, handler] of formRoutes(passwords, createPerform(endpoints))) {
      server.post(path, { bodyLimit: formBytesMax }, (request: WebRequest, reply) =>
        response(request, reply, (context) => {
          const form = readForm(request, context.baseUrl);
          return handler({ ...context, form, from: request.ip });
        }),
      );
    }
    // Set-up pages of Apps send their manifest from wherever they are; nothing changes before the user confirms it here.
    for (const path of [newAppAddress, newOrganizationAppAddress]) {
      server.post(path, { bodyLimit: formBytesMax }, (request: WebRequest, reply) =>
        response(request, reply, (context) =>
          takeManifest({ ...context, form: readForeignForm(request), from: request.ip }),
        ),
      );
    }
    server.post(exchangeAddress, { bodyLimit: formBytesMax }, (request: WebRequest, reply) => {
      const { urls } = addresses(request.headers.host);
      return exchangeResponse(request, reply, { ports, passwords, urls });
    });
    registerAssets(server);
  };
  return {
    register,
    answerUnrouted(request: WebRequest, reply) {
      if (!request.is404 || !asksForPage(request)) return undefined;
      return response(request, reply, async (context) => absentPage(viewerOf(request, context)));
    },
  };
}

/** Paths of the API are for programs, whatever they accept. */
function asksForPage({ method, headers, originalUrl }: FastifyRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  return isBrowser(headers.accept) && !/^\/api(?:[/?]|$)/.test(originalUrl);
}

type Route = readonly [path: string, handler: Handler, config?: FastifyContextConfig];

function routes(endpoints: readonly Endpoint[]): readonly Route[] {
  const docs = docsPages(endpoints);
  const account = `/${accountSegment}`;
  const repository = `${account}/:repo`;
  return [
    [homeAddress, showHome],
    [`${goImportAddress}/:owner/:repo`, showGoImport],
    ['/docs', docs.index],
    ['/docs/rest', docs.index],
    ['/docs/rest/*', docs.chapter],
    ['/avatars/u/:id', showAvatar],
    ['/login', showSignIn],
    [codeAddress, showCodeForm],
    [authorizeAddress, showConsent],
    // Reloading the page of a refused sign-in.
    ['/session', async () => ({ kind: 'redirect', location: '/login' })],
    ['/settings', async () => ({ kind: 'redirect', location: tokensAddress })],
    [tokensAddress, withSession(showTokens)],
    [applicationsAddress, withSession(showApplications)],
    [newAppAddress, withSession(showNewApp)],
    [newOrganizationAppAddress, withSession(showNewApp)],
    [installationsAddress, withSession(showInstallations)],
    [appAddress, showApp],
    [installAddress, withSession(showInstall)],
    [account, showAccount],
    [repository, inRepository(showRepository)],
    [`${repository}/tree/*`, inRepository(showTree)],
    [`${repository}/blob/*`, inRepository(showBlob)],
    // `download_url` of the API leads there.
    [`${repository}/raw/*`, inRepository(showRaw), openToFunctions],
    [`${repository}/commits/*`, inRepository(showCommits)],
    [`${repository}/commit/:revision`, inRepository(showCommit)],
    [`${repository}/compare/*`, inRepository(showComparison)],
    [`${repository}/branches`, inRepository(showBranches)],
    [`${repository}/pulls`, inRepository(showPulls)],
    [`${repository}/pull/:number`, inRepository((context) => showPull(context))],
    [`${repository}/pull/:number/commits`, inRepository((context) => showPull(context))],
    [`${repository}/pull/:number/files`, inRepository((context) => showPull(context))],
    [`${repository}/invitations`, showInvitations],
  ];
}

/** Every handler checks the form token first, by the `session` cookie or, before sign-in, by the `visit` cookie. */
function formRoutes(
  passwords: PasswordSignIn,
  perform: Perform,
): readonly (readonly [string, FormHandler])[] {
  return [
    ['/session', takePassword(passwords)],
    [codeAddress, takeCode(passwords)],
    ['/logout', formWithSession(signOut)],
    [`/${accountSegment}/:repo/pull/:number/:act`, formInRepository(takePullAct(perform))],
    [authorizeAddress, formWithSession(takeConsent)],
    [tokensAddress, formWithSession(makeToken)],
    [`${tokensAddress}/:id/delete`, formWithSession(endToken)],
    [installAddress, formWithSession(takeInstallation)],
    [`${installationsAddress}/:id/delete`, formWithSession(uninstall)],
    [`${applicationsAddress}/:id/revoke`, formWithSession(revokeApplication)],
  ];
}

/** A form on a page of a repository: who may not read it learns nothing of it. */
function formInRepository(
  handler: (context: ActContext) => Promise<WebResponse>,
): (context: FormContext) => Promise<WebResponse> {
  return formWithSession(async (context) => {
    const entered = await enterRepository(context);
    if ('movedTo' in entered) return notFound();
    const { repository, git } = entered;
    return handler({ ...context, repository, git });
  });
}

const exchangeAddress = '/login/oauth/access_token';

function inRepository(
  handler: (context: RepositoryContext) => Promise<WebResponse | StreamResponse>,
): Handler {
  return async (context) => {
    const entered = await enterRepository(context);
    if (!('movedTo' in entered)) return handler(entered);
    const tail = context.address.replace(/^\/[^/?]+\/[^/?]+/, '');
    return { kind: 'redirect', location: context.urls.repositoryHtml(entered.movedTo) + tail };
  };
}
