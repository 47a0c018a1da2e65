import type { FastifyRequest } from 'fastify';

import { renderRefusal } from '../conventions/error-catalogue.ts';
import { refusalOfError } from '../conventions/refusal-of-error.ts';
import { type Refusal, RefusalError } from '../conventions/refusal.ts';
import { GitError } from '../git/git-error.ts';
import { html } from './html.ts';
import type { WebAnswer } from './web-answer.ts';

/** An error as a page. What was not expected is logged whole and told without a detail. */
export function answerOfError(error: unknown, request: FastifyRequest): WebAnswer {
  if (error instanceof RefusalError) return answerOfRefusal(error.refusal);
  if (error instanceof GitError && error.kind === 'limit') {
    return message(503, 'Too much to show', 'git needed more time or memory for this than it may.');
  }
  if (error instanceof GitError && error.kind.startsWith('missing-')) return absent;
  const refusal = refusalOfError(error);
  if (refusal) return answerOfRefusal(refusal);
  request.log.error({ err: error, requestId: request.id }, 'request failed');
  const found = `The operator finds the cause in the log under ${request.id}.`;
  return message(500, 'Server error', found);
}

function answerOfRefusal(refusal: Refusal): WebAnswer {
  if (refusal.kind === 'not-found') return absent;
  const { status, message: words, retryAfterSeconds } = renderRefusal(refusal);
  const advice = status === 503 ? 'Try again soon.' : 'Go back, or ask for something else.';
  return { ...message(status, words, advice), retryAfterSeconds };
}

const absent = message(
  404,
  'Not found',
  'There is nothing at this address, or it is not public: a private repository shows itself only to requests that carry credentials for it.',
);

function message(status: number, title: string, words: string): WebAnswer & { kind: 'page' } {
  return {
    kind: 'page',
    status,
    title,
    body: html`<h1>${title}</h1>
      <p>${words}</p>`,
  };
}
