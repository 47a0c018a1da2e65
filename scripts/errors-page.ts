import { renderRefusal } from '#forge/errors/error-responses.ts';
import { mergeRefusals } from '#forge/errors/merge-refusals.ts';
import type { Refusal } from '#forge/errors/api-error.ts';
import { present } from '#platform/present.ts';
import { storageSentences } from '#platform/storage-failure.ts';

import { functionErrors } from './function-errors.ts';

/** docs/errors.md: what every refusal looks like, made by the catalogue itself. */
export function errorsPage(): string {
  return [
    introduction,
    ...Object.values(examples).map(section),
    notRefusals,
    functionErrors(),
  ].join('\n');
}

interface Example<R extends Refusal> {
  readonly when: string;
  readonly refusal: R;
  /** Markdown after the example. */
  readonly more?: string;
}

/** One example of each kind: a kind without one is an error of the type. */
type Examples = {
  readonly [Kind in Refusal['kind']]: Example<Extract<Refusal, { kind: Kind }>>;
};

const examples: Examples = {
  'not-found': {
    when: 'The resource does not exist, or the caller cannot see it; both responses are identical. Also if the caller can read a repository but lacks the permission for this operation, unless the endpoint has its own message (`forbidden`).',
    refusal: { kind: 'not-found' },
  },
  gone: {
    when: 'The issue was deleted. Its number is not given again.',
    refusal: { kind: 'gone' },
  },
  'no-such-route': {
    when: 'No endpoint has this path and method.',
    refusal: { kind: 'no-such-route' },
  },
  'requires-authentication': {
    when: 'The endpoint requires a user, but the request has no credentials.',
    refusal: { kind: 'requires-authentication' },
  },
  'bad-credentials': {
    when: 'The credentials are invalid; this is checked for every path. The request counts against the rate limit of its IP address.',
    refusal: { kind: 'bad-credentials' },
  },
  'invalid-jwt': {
    when: 'The JSON Web Token of a GitHub App is missing, was not signed with the key of the App, or names other times than allowed; the message says which.',
    refusal: { kind: 'invalid-jwt', message: 'A JSON web token could not be decoded' },
  },
  'query-credentials': {
    when: 'The query string contains `access_token` or `client_secret`.',
    refusal: { kind: 'query-credentials' },
  },
  'too-many-logins': {
    when: 'Too many wrong passwords for this login, or from this IP address, in a short time. Passwords are rejected temporarily, even the right one. Tokens still work.',
    refusal: { kind: 'too-many-logins' },
  },
  suspended: {
    when: 'The credentials are right, but a site administrator has suspended their user.',
    refusal: { kind: 'suspended' },
  },
  'code-required': {
    when: 'The password is right, but the account uses two-factor authentication and the code is missing, wrong or already used. The response has the header `X-GitHub-OTP: required; app`. Tokens need no code.',
    refusal: { kind: 'code-required' },
  },
  forbidden: {
    when: 'The caller can read the repository or organization but lacks a permission, or the repository is archived; the message says which.',
    refusal: { kind: 'forbidden', message: 'Must have admin rights to Repository.' },
  },
  'malformed-request': {
    when: 'The request is not valid HTTP, or a part of it is duplicated or malformed; the message says which.',
    refusal: { kind: 'malformed-request', message: 'More than one Authorization header was sent.' },
  },
  'malformed-json': {
    when: 'The body is not JSON in UTF-8, or exceeds the limits for nesting and size in docs/limits.md.',
    refusal: { kind: 'malformed-json' },
  },
  'body-not-object': {
    when: 'The body is JSON but not an object. An empty body and `null` count as an empty object.',
    refusal: { kind: 'body-not-object' },
  },
  'body-too-large': {
    when: 'The body exceeds the size limit of the endpoint.',
    refusal: { kind: 'body-too-large', bytesMax: 1_048_576 },
  },
  'validation-failed': {
    when: 'A field of the body is missing, has the wrong type, or has an invalid value. `errors` has an entry for each problem, with a code of the table above.',
    refusal: {
      kind: 'validation-failed',
      errors: [
        {
          resource: 'PullRequest',
          field: 'head',
          code: 'missing_field',
          message: '"head" wasn\'t supplied.',
        },
        { resource: 'PullRequest', field: 'base', code: 'invalid' },
      ],
    },
  },
  unprocessable: {
    when: 'Like `validation-failed`, for errors that clients recognize by their message.',
    refusal: { kind: 'unprocessable', message: 'merge conflict between base and head' },
  },
  'not-mergeable': {
    when: 'The pull request cannot be merged, or its head is not the expected one (409). Several reasons share a message, because clients match on it; the server logs the reason at level `info`: look for `merge refused` with the repository and the number of the pull request. Of a merge by the API, it has the `X-GitHub-Request-Id` of the response too. Without the log, `GET …/pulls/N` distinguishes those that share a message: `merged`, `state`, `head.repo` of null, `mergeable_state` of `dirty` (ask again while it is `unknown`); an open pull request with none of these lacks its base branch. The log is on standard error, in a cluster that of the server that answered (`HOB_LOG_LEVEL`: `info` or `debug`). A merge can also be answered 503, while too many others into the branch wait.',
    refusal: { kind: 'not-mergeable', reason: 'conflicts' },
    more: mergeRefusalTable(),
  },
  conflict: {
    when: 'The resource has changed since the caller last read it, or the request asks for commits of an empty repository.',
    refusal: { kind: 'conflict', message: 'Merge conflict' },
  },
  'unsupported-accept': {
    when: '`Accept` contains neither JSON, nor a vendor media type, nor a wildcard.',
    refusal: { kind: 'unsupported-accept', accept: 'text/plain' },
  },
  'unsupported-media-parameter': {
    when: 'The resource is not available in the requested media type.',
    refusal: { kind: 'unsupported-media-parameter', parameter: 'html' },
  },
  'preview-required': {
    when: 'The operation (updating the branch of a pull request) is in preview, and `Accept` lacks its media type. Requests with an API version (`X-GitHub-Api-Version: 2022-11-28`) do not need it; `--previews lenient` disables the check.',
    refusal: {
      kind: 'preview-required',
      preview: 'application/vnd.github.lydian-preview+json',
      feature: 'Update a pull request branch',
    },
  },
  'diff-too-large': {
    when: 'The diff is too large, or git takes too long to make it.',
    refusal: {
      kind: 'diff-too-large',
      message: 'Sorry, the diff exceeded the maximum number of lines (20000)',
    },
  },
  'git-limit': {
    when: 'git would need more time, memory or output than this server allows, for anything but a diff.',
    refusal: { kind: 'git-limit' },
  },
  moved: {
    when: 'The repository was renamed; `Location` and `url` contain the new URL. 301 for reads, 307 for all other requests.',
    refusal: { kind: 'moved', repositoryId: 1 },
  },
  'issue-moved': {
    when: 'The issue was transferred to another repository, which the caller can read; `Location` and `url` contain the new URL. 301 for reads, 307 for updates.',
    refusal: { kind: 'issue-moved', repositoryId: 1, number: 1 },
  },
  'rate-limited': {
    when: 'The hourly rate limit is exceeded until the time in `X-RateLimit-Reset`.',
    refusal: { kind: 'rate-limited', who: 'user ID 1', anonymous: false },
  },
  'abuse-limited': {
    when: 'Too many requests that create content by one user, too many concurrent requests by one caller, or too many requests for one URL (docs/limits.md). `Retry-After` contains the seconds to wait. `HOB_ABUSE_LIMITS=off` disables these limits.',
    refusal: { kind: 'abuse-limited', about: 'creation', retryAfterSeconds: 60 },
  },
  unavailable: {
    when: 'Temporary: the git process is restarting, the database is unavailable, the repository is being recovered after a crash, or too many passwords are being verified. Try again later.',
    refusal: {
      kind: 'unavailable',
      message: 'The git service is restarting. Try again later.',
    },
  },
  'insufficient-storage': {
    when: 'The disk of the server is full. Reads still work.',
    refusal: { kind: 'insufficient-storage', message: storageSentences['disk-full'] },
  },
};

const introduction = `# Errors

Generated by \`npm run docs\` from \`forge/errors/error-responses.ts\`, \`forge/errors/merge-refusals.ts\` and \`functions-contract/error-names.ts\`; \`npm run check\` reports when it is stale.

The first three sections are about the forge, the last is about the function service.

Error responses of the forge are JSON: a \`message\`, a \`documentation_url\` on this server, and \`errors\` for invalid fields. Programs should match on the
status and on \`errors[].code\`. Messages are for people, except those that existing clients match on, which are stable.

## Codes of \`errors[].code\`

| Code | Meaning |
| --- | --- |
| \`missing\` | a resource does not exist |
| \`missing_field\` | a required field is not set |
| \`invalid\` | a field is malformed, or refers to a resource that does not exist |
| \`already_exists\` | another resource has the same value |
| \`unprocessable\` | the inputs are invalid |
| \`custom\` | see the \`message\` of the entry |
| \`too_large\` | the response would be too large (diffs, 406) |

## Errors by kind
`;

const notRefusals = `## Other errors

- **403 in plain text**: the request has no \`User-Agent\` (\`forge/http/user-agent.ts\`). The connection is closed.
- **500**: internal server error. The message contains the request id (\`X-GitHub-Request-Id\`); the server log contains the cause.
- **503 during startup**: the port opens before the server is ready (\`commands/serve/listener.ts\`). The response has \`Retry-After: 1\`.
- **git over HTTP** responds in plain text: 401 with a challenge if credentials could help, otherwise 403 or 404
  (\`forge/git-http/git-access.ts\`). For a ref that a push cannot update, git reports the reason.
  A fetch or push that exceeds the limits of git (\`git-limit\`) ends with an error packet of git's protocol, which git shows.
- With \`?callback=\`, every response has status 200, and \`meta\` contains the real status.
`;

function section({ when, refusal, more }: Example<Refusal>): string {
  const { status, message, errors, documentation } = renderRefusal(refusal);
  const body = {
    message,
    ...present({ errors }),
    ...(refusal.kind === 'moved' ? { url: '…/api/v3/repositories/1' } : {}),
    documentation_url: `…/docs/rest/${documentation ?? 'reference/…'}`.replace(/\/$/, ''),
  };
  const example = JSON.stringify(body, null, 2);
  return `### ${refusal.kind}: ${status}\n\n${when}\n\n\`\`\`json\n${example}\n\`\`\`\n${more === undefined ? '' : `\n${more}`}`;
}

function mergeRefusalTable(): string {
  const rows = Object.entries(mergeRefusals).map(
    ([reason, { status, message = '…', when, remedy }]) =>
      `| \`${reason}\` | ${status} | \`${message}\` | ${when} | ${remedy} |\n`,
  );
  const head =
    '| Reason | Status | Message | When | What to do |\n| --- | --- | --- | --- | --- |\n';
  return `${head}${rows.join('')}`;
}
