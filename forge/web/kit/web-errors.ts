import type { FastifyRequest } from 'fastify';

import { errorPage, type PageError } from '#web/error-page.ts';
import { FormError } from '#web/form.ts';
import type { Link } from '#web/layout.ts';
import type { WebResponse } from '#web/web-response.ts';

import { refusalSentence } from '../../errors/error-message.ts';
import { renderRefusal } from '../../errors/error-responses.ts';
import { refusalOfError } from '../../http/from-git-error.ts';
import { type Refusal, RefusalError } from '../../errors/api-error.ts';
import { GitError } from '../../git/git-error.ts';
import { loginPath } from './login-path.ts';
import type { Viewer } from './site-frame.ts';

/** Renders an error as a page that leads on. An unexpected error is logged in full and shown without details. */
export function responseToError(
  error: unknown,
  request: FastifyRequest,
  viewer: Viewer,
): WebResponse {
  return errorPage(describeError(error, request), waysOn(viewer));
}

/** The page for a URL that leads nowhere. */
export function absentPage(viewer: Viewer): WebResponse {
  return errorPage(absent, waysOn(viewer));
}

function describeError(error: unknown, request: FastifyRequest): PageError {
  if (error instanceof FormError) {
    return { status: error.status, title: 'Nothing was changed', text: error.message };
  }
  if (error instanceof RefusalError) return describeRefusal(error.refusal);
  if (error instanceof GitError && error.kind.endsWith('limit')) {
    const text = 'git exceeded its time or memory limit.';
    return { status: 503, title: 'Too much to show', text };
  }
  if (error instanceof GitError && error.kind.startsWith('missing-')) return absent;
  const refusal = refusalOfError(error);
  if (refusal) return describeRefusal(refusal);
  const unreadable = describeProtocolError(error);
  if (unreadable) return unreadable;
  request.log.error({ err: error, requestId: request.id }, 'request failed');
  return {
    status: 500,
    title: 'Server error',
    text: `Something failed on this server, and its operator can find it in the log as request ${request.id}.`,
  };
}

function describeRefusal(refusal: Refusal): PageError {
  if (refusal.kind === 'not-found') return absent;
  const { status, retryAfterSeconds } = renderRefusal(refusal);
  const text = refusalSentence(refusal);
  const limited = ['rate-limited', 'abuse-limited', 'too-many-logins'].includes(refusal.kind);
  if (limited) return { status: 429, title: 'Too many requests', text, retryAfterSeconds };
  return { status, title: titles[status] ?? 'The request was refused', text, retryAfterSeconds };
}

const titles: Readonly<Record<number, string>> = {
  400: 'The request is not valid',
  401: 'You are not signed in',
  403: 'You may not do this',
  405: 'This cannot be merged now',
  409: 'It was changed meanwhile',
  422: 'This cannot be done',
  503: 'Try again later',
  507: 'The disk of this server is full',
};

/** Errors of the framework before any handler runs: a body that is too large or incomplete. */
function describeProtocolError(error: unknown): PageError | undefined {
  const status: unknown = error instanceof Error ? Reflect.get(error, 'statusCode') : undefined;
  if (typeof status !== 'number' || status < 400 || status >= 500) return undefined;
  const title = status === 413 ? 'The form is too large' : 'The request is not valid';
  return { status, title, text: 'Go back and correct the form.' };
}

const absent: PageError = {
  status: 404,
  title: 'Not found',
  text: 'This page does not exist, or you cannot see it: private repositories are visible only to signed-in users with read access.',
};

function waysOn({ urls, session, pageUrl }: Viewer): readonly Link[] {
  const repository = /^\/([a-zA-Z0-9][\w-]*)\/([\w.-]+)\/./.exec(pageUrl);
  const [, owner = '', name = ''] = repository ?? [];
  return [
    ...(repository && !pageUrl.startsWith('/-/')
      ? [{ href: `/${owner}/${name}`, label: `The repository ${owner}/${name}` }]
      : []),
    { href: urls.web('/'), label: 'All repositories' },
    ...(session ? [] : [{ href: loginPath(pageUrl), label: 'Sign in' }]),
    { href: urls.docs(''), label: 'API reference' },
  ];
}
