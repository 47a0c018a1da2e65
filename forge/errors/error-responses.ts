import { present } from '#platform/present.ts';

import type { FieldError, Refusal } from './api-error.ts';
import { mergeRefusals } from './merge-refusals.ts';

/** What a refusal looks like on the wire. */
export interface RenderedRefusal {
  readonly status: number;
  readonly message: string;
  readonly errors?: readonly FieldError[];
  /** The canonical repository that the rest of the path, or the issue of this number, now belongs to. */
  readonly movedTo?: { readonly repositoryId: number; readonly issueNumber?: number };
  /** Path in this server's reference, instead of the endpoint's own. */
  readonly documentation?: string;
  /** The response has a header that requests a second factor. */
  readonly codeRequired?: true;
  readonly retryAfterSeconds?: number;
}

/** `Retry-After` of 503. Short, because the cause is temporary: a full queue, or a restart of the git process. */
const unavailableSeconds = 1;

const moved = {
  status: 301,
  message: 'Moved Permanently',
  documentation: 'overview/resources-in-the-rest-api#http-redirects',
} as const;

/** The one table of refusals: kind to status, message and body (docs/specification/forge.md 4.1 to 4.6). */
export function renderRefusal(refusal: Refusal): RenderedRefusal {
  switch (refusal.kind) {
    case 'not-found':
      return { status: 404, message: refusal.message ?? 'Not Found' };
    case 'gone':
      return { status: 410, message: 'This issue was deleted' };
    case 'no-such-route':
      return { status: 404, message: 'Not Found', documentation: '' };
    case 'requires-authentication':
      return { status: 401, message: 'Requires authentication' };
    case 'bad-credentials':
      return { status: 401, message: 'Bad credentials', documentation: '' };
    case 'invalid-jwt':
      return { status: 401, message: refusal.message };
    case 'query-credentials':
      return {
        status: 400,
        message:
          'Must specify access token via Authorization header. Credentials in the query string have not been accepted since 2021-05-05.',
        documentation: 'overview/resources-in-the-rest-api#oauth2-token-sent-in-a-header',
      };
    case 'too-many-logins':
      return {
        status: 403,
        message: 'Maximum number of login attempts exceeded. Please try again later.',
        documentation: 'overview/resources-in-the-rest-api#failed-login-limit',
      };
    // octokit.rb recognizes it by its text.
    case 'suspended':
      return { status: 403, message: 'Sorry. Your account was suspended.', documentation: '' };
    case 'code-required':
      return {
        status: 401,
        message: 'Must specify two-factor authentication OTP code.',
        documentation: 'overview/resources-in-the-rest-api#working-with-two-factor-authentication',
        codeRequired: true,
      };
    case 'forbidden':
      return { status: 403, message: refusal.message };
    case 'malformed-request':
      return { status: 400, message: refusal.message };
    case 'malformed-json':
      return { status: 400, message: 'Problems parsing JSON' };
    case 'body-not-object':
      return { status: 400, message: 'Body should be a JSON object' };
    case 'body-too-large':
      return { status: 413, message: `The request body is larger than ${refusal.bytesMax} bytes.` };
    case 'validation-failed':
      return { status: 422, message: 'Validation Failed', errors: refusal.errors };
    case 'unprocessable':
      return { status: 422, message: refusal.message };
    case 'not-mergeable':
      return renderMergeRefusal(refusal);
    case 'conflict':
      return { status: 409, message: refusal.message, ...present({ errors: refusal.errors }) };
    case 'unsupported-accept':
    case 'unsupported-media-parameter':
    case 'preview-required':
    case 'diff-too-large':
      return renderMediaRefusal(refusal);
    case 'git-limit':
      return {
        status: 422,
        message: 'The git operation took too long, or its output is too large.',
      };
    case 'moved':
      return { ...moved, movedTo: { repositoryId: refusal.repositoryId } };
    case 'issue-moved': {
      const { repositoryId, number } = refusal;
      return { ...moved, movedTo: { repositoryId, issueNumber: number } };
    }
    case 'rate-limited':
      return renderRateLimited(refusal);
    case 'abuse-limited':
      return renderAbuseLimited(refusal);
    case 'unavailable':
      return {
        status: 503,
        message: refusal.message,
        retryAfterSeconds: refusal.retryAfterSeconds ?? unavailableSeconds,
      };
    case 'insufficient-storage':
      return { status: 507, message: refusal.message };
  }
}

function renderMergeRefusal(refusal: Extract<Refusal, { kind: 'not-mergeable' }>): RenderedRefusal {
  const { status } = mergeRefusals[refusal.reason];
  return refusal.reason === 'branch-protection'
    ? { status, message: refusal.rule }
    : { status, message: mergeRefusals[refusal.reason].message };
}

type MediaRefusal = Extract<
  Refusal,
  {
    kind:
      | 'unsupported-accept'
      | 'unsupported-media-parameter'
      | 'preview-required'
      | 'diff-too-large';
  }
>;

function renderMediaRefusal(refusal: MediaRefusal): RenderedRefusal {
  switch (refusal.kind) {
    case 'unsupported-accept':
      return {
        status: 415,
        message: `Unsupported 'Accept' header: ${JSON.stringify([refusal.accept])}. Must accept 'application/json'.`,
        documentation: 'overview/media-types',
      };
    case 'unsupported-media-parameter':
      return {
        status: 406,
        message: `This resource does not support the '${refusal.parameter}' media type parameter.`,
      };
    case 'preview-required':
      return {
        status: 415,
        message:
          `If you would like to help us test the ${refusal.feature} API during its preview period, you must specify a ` +
          `custom media type in the 'Accept' header: ${refusal.preview}. This server can also be started with ` +
          `--previews lenient. Please see the docs for full details.`,
      };
    case 'diff-too-large':
      return {
        status: 406,
        message: refusal.message,
        errors: [{ resource: 'PullRequest', field: 'diff', code: 'too_large' }],
      };
  }
}

/**
 * Four clients recognize this error by its text: octokit.rb by "abuse", Octokit's throttling plugin by "secondary rate",
 * PyGithub by the last sentence, go-github by the end of the documentation URL.
 */
function renderAbuseLimited(refusal: Extract<Refusal, { kind: 'abuse-limited' }>): RenderedRefusal {
  const triggered = 'You have triggered an abuse detection mechanism (a secondary rate limit)';
  const message = {
    creation: `${triggered} and have been temporarily blocked from content creation. Please retry your request again later.`,
    polling: `${triggered} by requesting the same URL too often. Wait for X-Poll-Interval, or use a webhook. Please wait a few minutes before you try again.`,
    concurrency: `${triggered} by too many concurrent requests. Please wait a few minutes before you try again.`,
  };
  return {
    status: 403,
    message: message[refusal.about],
    documentation: 'overview/resources-in-the-rest-api#abuse-rate-limits',
    retryAfterSeconds: refusal.retryAfterSeconds,
  };
}

function renderRateLimited(refusal: Extract<Refusal, { kind: 'rate-limited' }>): RenderedRefusal {
  const hint = refusal.anonymous
    ? " (But here's the good news: Authenticated requests get a higher rate limit. Check out the documentation for more details.)"
    : '';
  return {
    status: 403,
    message: `API rate limit exceeded for ${refusal.who}.${hint}`,
    documentation: 'overview/resources-in-the-rest-api#rate-limiting',
  };
}
