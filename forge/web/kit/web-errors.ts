import type { FastifyRequest } from 'fastify';

import { renderRefusal } from '../../errors/error-responses.ts';
import { refusalOfError } from '../../http/from-git-error.ts';
import { type Refusal, RefusalError } from '../../errors/api-error.ts';
import { GitError } from '../../git/git-error.ts';
import { html } from '#web/html.ts';
import type { WebResponse } from '#web/web-response.ts';

/** Renders an error as a page. An unexpected error is logged in full and shown without details. */
export function responseToError(error: unknown, request: FastifyRequest): WebResponse {
  if (error instanceof RefusalError) return responseToApiError(error.refusal);
  if (error instanceof GitError && error.kind.endsWith('limit')) {
    return message(503, 'Too much to show', 'git exceeded its time or memory limit.');
  }
  if (error instanceof GitError && error.kind.startsWith('missing-')) return absent;
  const refusal = refusalOfError(error);
  if (refusal) return responseToApiError(refusal);
  const unreadable = responseToProtocolError(error);
  if (unreadable) return unreadable;
  request.log.error({ err: error, requestId: request.id }, 'request failed');
  const found = `See the server log for request ${request.id}.`;
  return message(500, 'Server error', found);
}

function responseToApiError(refusal: Refusal): WebResponse {
  if (refusal.kind === 'not-found') return absent;
  const { status, message: text, retryAfterSeconds } = renderRefusal(refusal);
  const advice = status === 503 ? 'Try again later.' : 'Go back and try something else.';
  return { ...message(status, text, advice), retryAfterSeconds };
}

/** Errors of the framework before any handler runs: a body that is too large or incomplete. */
function responseToProtocolError(error: unknown): WebResponse | undefined {
  const status: unknown = error instanceof Error ? Reflect.get(error, 'statusCode') : undefined;
  if (typeof status !== 'number' || status < 400 || status >= 500) return undefined;
  const text = status === 413 ? 'The form is too large.' : 'The request is not valid.';
  return message(status, text, 'Go back and correct the form.');
}

const absent = message(
  404,
  'Not found',
  'This page does not exist, or you cannot see it: private repositories are visible only to signed-in users with read access.',
);

function message(status: number, title: string, text: string): WebResponse & { kind: 'page' } {
  return {
    kind: 'page',
    status,
    title,
    body: html`<h1>${title}</h1>
      <p>${text}</p>`,
  };
}
