import type { FastifyRequest } from 'fastify';

import { errorCode } from '#platform/error-code.ts';
import { errorPage, type PageError } from '#web/error-page.ts';
import { FormError } from '#web/form.ts';
import type { Visit } from '#web/site.ts';
import type { WebResponse } from '#web/web-response.ts';

import { type FunctionsError, refusalOf } from '../../errors/functions-error.ts';
import { functionsPath } from './paths.ts';

/** Renders anything thrown as a page that leads on. An unexpected error is logged in full and shown without details. */
export function responseToError(
  error: unknown,
  request: FastifyRequest,
  { frame }: Visit,
): WebResponse & { kind: 'page' } {
  return errorPage(describeError(error, request), [
    { href: functionsPath, label: 'All functions' },
    ...frame.links.slice(0, 1),
  ]);
}

function describeError(error: unknown, request: FastifyRequest): PageError {
  if (error instanceof FormError) {
    return { status: error.status, title: 'Nothing was changed', text: error.message };
  }
  if (errorCode(error) === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return { status: 413, title: 'The form is too large', text: 'Nothing was changed.' };
  }
  const refusal = refusalOf(error, undefined);
  if (refusal.code === 'ServiceException') {
    request.log.error({ err: error, requestId: request.id }, 'page of the console failed');
    if (refusal.details.status === undefined) {
      const text = `Something failed on this server, and its operator can find it in the log as request ${request.id}.`;
      return { status: 500, title: 'Server error', text };
    }
  }
  return {
    status: refusal.status,
    title: titles[refusal.status] ?? 'The request was refused',
    text: refusalText(refusal),
    retryAfterSeconds: refusal.details.retryAfterSeconds,
  };
}

/** The message of a refusal with its code, which is what the documentation of AWS Lambda explains. */
export function refusalText({ code, message }: FunctionsError): string {
  return message === '' ? `${code}.` : `${message} (${code})`;
}

const titles: Readonly<Record<number, string>> = {
  400: 'The request is not valid',
  403: 'You may not do this',
  404: 'Not found',
  409: 'It was changed meanwhile',
  412: 'It was changed meanwhile',
  429: 'Too many requests',
  503: 'Try again later',
  507: 'The disk of this server is full',
};
