import { readFileSync } from 'node:fs';

import type { FastifyInstance, FastifyReply } from 'fastify';

import type { PasswordSignIn } from '../access/password-sign-in.ts';
import { createAddressBook } from '../conventions/address-book.ts';
import type { Endpoint } from '../conventions/endpoint.ts';
import type { Ports } from '../ports.ts';
import type { Urls } from '../urls.ts';
import { homeAddress } from './home-address.ts';
import { layout, styleAddress } from './layout.ts';
import { showAccount } from './pages/account.ts';
import { showAvatar } from './pages/avatar.ts';
import { showBlob, showRaw } from './pages/blob.ts';
import { showBranches } from './pages/branches.ts';
import { showCommit } from './pages/commit.ts';
import { showCommits } from './pages/commits.ts';
import { showComparison } from './pages/compare.ts';
import { docsPages } from './pages/docs.ts';
import { showHome } from './pages/home.ts';
import { showInvitations } from './pages/invitations.ts';
import { showPull } from './pages/pull.ts';
import { showPulls } from './pages/pulls.ts';
import { showRepository } from './pages/repository.ts';
import { showTree } from './pages/tree.ts';
import { answerOfError } from './web-errors.ts';
import type { WebAnswer } from './web-answer.ts';
import { accountSegment } from './account-segment.ts';
import {
  enterRepository,
  readContext,
  type RepositoryContext,
  type WebContext,
  type WebRequest,
} from './web-context.ts';

type Handler = (context: WebContext) => Promise<WebAnswer>;

/**
 * The pages that `html_url` and its like name, for people: no script, no session, nothing can be changed in them. They
 * have none of the interface's conventions, but its decisions about access.
 */
export function webPages(
  ports: Ports,
  passwords: PasswordSignIn,
  endpoints: readonly Endpoint[],
): (server: FastifyInstance) => Promise<void> {
  const addresses = createAddressBook(ports.settings);
  const style = readFileSync(new URL('site.css', import.meta.url), 'utf8');
  return async (server) => {
    server.setErrorHandler((error, request, reply) => {
      const { urls } = addresses(request.headers.host);
      return send(reply, answerOfError(error, request), urls);
    });
    for (const [path, handler] of routes(endpoints)) {
      server.get(path, async (request: WebRequest, reply) => {
        const { urls } = addresses(request.headers.host);
        const context = await readContext(request, urls, ports, passwords);
        return send(reply, await handler(context), urls);
      });
    }
    server.get(styleAddress, (_request, reply) =>
      send(reply, {
        kind: 'bytes',
        contentType: 'text/css; charset=utf-8',
        body: style,
        lasting: true,
      }),
    );
  };
}

function routes(endpoints: readonly Endpoint[]): readonly (readonly [string, Handler])[] {
  const docs = docsPages(endpoints);
  const account = `/${accountSegment}`;
  const repository = `${account}/:repo`;
  return [
    [homeAddress, showHome],
    ['/docs', docs.index],
    ['/docs/rest', docs.index],
    ['/docs/rest/*', docs.chapter],
    ['/avatars/u/:id', showAvatar],
    [account, showAccount],
    [repository, inRepository(showRepository)],
    [`${repository}/tree/*`, inRepository(showTree)],
    [`${repository}/blob/*`, inRepository(showBlob)],
    [`${repository}/raw/*`, inRepository(showRaw)],
    [`${repository}/commits/*`, inRepository(showCommits)],
    [`${repository}/commit/:revision`, inRepository(showCommit)],
    [`${repository}/compare/*`, inRepository(showComparison)],
    [`${repository}/branches`, inRepository(showBranches)],
    [`${repository}/pulls`, inRepository(showPulls)],
    [`${repository}/pull/:number`, inRepository(showPull)],
    [`${repository}/pull/:number/commits`, inRepository(showPull)],
    [`${repository}/pull/:number/files`, inRepository(showPull)],
    [`${repository}/invitations`, showInvitations],
  ];
}

function inRepository(handler: (context: RepositoryContext) => Promise<WebAnswer>): Handler {
  return async (context) => {
    const entered = await enterRepository(context);
    if (!('movedTo' in entered)) return handler(entered);
    const tail = context.address.replace(/^\/[^/?]+\/[^/?]+/, '');
    return { kind: 'redirect', location: context.urls.repositoryHtml(entered.movedTo) + tail };
  };
}

/** Nothing is run, and nothing but the style and pictures is loaded, whatever somebody put into a page. */
const pagePolicy =
  "default-src 'none'; style-src 'self'; img-src 'self' https: data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/** For bytes that somebody pushed: not even as a page of its own may they do anything. */
const bytesPolicy = "default-src 'none'; sandbox";

const always = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
} as const;

/** What somebody may read can end at any time; pictures and style are for everybody. */
const cacheControl = { page: 'private, no-cache', lasting: 'public, max-age=3600' } as const;

function send(reply: FastifyReply, answer: WebAnswer, urls?: Urls): FastifyReply {
  switch (answer.kind) {
    case 'page':
      return reply
        .code(answer.status ?? 200)
        .headers({
          ...always,
          'content-security-policy': pagePolicy,
          'cache-control': cacheControl.page,
          ...retryAfter(answer.retryAfterSeconds),
        })
        .type('text/html; charset=utf-8')
        .send(urls ? layout(answer.title, answer.body, urls).toString() : '');
    case 'bytes':
      return reply
        .headers({
          ...always,
          'content-security-policy': bytesPolicy,
          'cache-control': cacheControl[answer.lasting ? 'lasting' : 'page'],
        })
        .type(answer.contentType)
        .send(answer.body);
    case 'redirect':
      return reply
        .code(302)
        .headers({ ...always, location: answer.location })
        .send();
  }
}

function retryAfter(seconds: number | undefined): Record<string, string> {
  return seconds === undefined ? {} : { 'retry-after': String(seconds) };
}
