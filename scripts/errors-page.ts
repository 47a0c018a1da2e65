import { renderRefusal } from '#forge/conventions/error-catalogue.ts';
import type { Refusal } from '#forge/conventions/refusal.ts';
import { storageSentences } from '#platform/storage-failure.ts';

/** docs/errors.md: what every refusal looks like, made by the catalogue itself. */
export function errorsPage(): string {
  return [introduction, ...Object.values(examples).map(section), notRefusals].join('\n');
}

interface Example<R extends Refusal> {
  readonly when: string;
  readonly refusal: R;
}

/** One example of each kind: a kind without one is an error of the type. */
type Examples = {
  readonly [Kind in Refusal['kind']]: Example<Extract<Refusal, { kind: Kind }>>;
};

const examples: Examples = {
  'not-found': {
    when: 'What the path names is absent, or hidden from the caller: the two are told in the same words. Also where a caller may read a repository but not do this in it, unless the endpoint has a sentence for that (`forbidden`).',
    refusal: { kind: 'not-found' },
  },
  'no-such-route': {
    when: 'No endpoint has this address, or none under this method.',
    refusal: { kind: 'no-such-route' },
  },
  'requires-authentication': {
    when: 'The endpoint is for users, and no credentials were sent.',
    refusal: { kind: 'requires-authentication' },
  },
  'bad-credentials': {
    when: 'Credentials were sent that nobody has, whatever the address. They count against the budget of the address they come from.',
    refusal: { kind: 'bad-credentials' },
  },
  'query-credentials': {
    when: 'The query has `access_token` or `client_secret`.',
    refusal: { kind: 'query-credentials' },
  },
  'too-many-logins': {
    when: 'Too many bad passwords of this login, or bad credentials from this address, in a short time: passwords are refused for a while, the right one too. Tokens go on.',
    refusal: { kind: 'too-many-logins' },
  },
  'code-required': {
    when: 'The password is right, but the account has a second factor, and its code is missing, wrong or used up. The header `X-GitHub-OTP: required; app` says so too. Tokens need no code.',
    refusal: { kind: 'code-required' },
  },
  forbidden: {
    when: 'The caller may read the repository or organization but lacks a permission, or the repository is archived; the message says which.',
    refusal: { kind: 'forbidden', message: 'Must have admin rights to Repository.' },
  },
  'malformed-request': {
    when: 'The request cannot be read as HTTP, or says something twice or badly; the message says what.',
    refusal: { kind: 'malformed-request', message: 'More than one Authorization header was sent.' },
  },
  'malformed-json': {
    when: 'The body is not JSON in UTF-8, or is nested or filled beyond the limits of docs/limits.md.',
    refusal: { kind: 'malformed-json' },
  },
  'body-not-object': {
    when: 'The body is JSON but not an object. An empty body and `null` count as an object without members.',
    refusal: { kind: 'body-not-object' },
  },
  'body-too-large': {
    when: 'The body is longer than the endpoint takes.',
    refusal: { kind: 'body-too-large', bytesMax: 1_048_576 },
  },
  'validation-failed': {
    when: 'A member of the body is missing, of another type or not one of the words, or what it says cannot be: an entry for each problem, with the codes below.',
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
    when: 'As above, where one sentence says it all and clients know it by that sentence.',
    refusal: { kind: 'unprocessable', message: 'merge conflict between base and head' },
  },
  'not-mergeable': {
    when: 'A pull cannot be merged: conflict, closed, merged already, draft, method switched off, base moving; the message may say which.',
    refusal: { kind: 'not-mergeable' },
  },
  conflict: {
    when: 'Something is not what the caller last saw, or an empty repository is asked for its commits.',
    refusal: {
      kind: 'conflict',
      message: 'Head branch was modified. Review and try the merge again.',
    },
  },
  'unsupported-accept': {
    when: '`Accept` names neither JSON, nor a media type of the vendor, nor a wildcard.',
    refusal: { kind: 'unsupported-accept', accept: 'text/plain' },
  },
  'unsupported-media-parameter': {
    when: 'The resource cannot be had in the form asked for.',
    refusal: { kind: 'unsupported-media-parameter', parameter: 'html' },
  },
  'preview-required': {
    when: 'The operation is in preview (updating the branch of a pull request) and `Accept` lacks its media type. A request that names a dated version (`X-GitHub-Api-Version: 2022-11-28`) needs none, and with `--previews lenient` nothing is refused for that.',
    refusal: {
      kind: 'preview-required',
      preview: 'application/vnd.github.lydian-preview+json',
      feature: 'Update a pull request branch',
    },
  },
  'diff-too-large': {
    when: 'A diff is longer than is sent, or takes git longer than it may.',
    refusal: {
      kind: 'diff-too-large',
      message: 'Sorry, the diff exceeded the maximum number of lines (20000)',
    },
  },
  moved: {
    when: 'The repository has another name now; `Location` and `url` lead to it. 301 to reading requests, 307 to all others.',
    refusal: { kind: 'moved', repositoryId: 1 },
  },
  'rate-limited': {
    when: 'The budget of the hour is used up; `X-RateLimit-Reset` says until when.',
    refusal: { kind: 'rate-limited', who: 'user ID 1', anonymous: false },
  },
  'abuse-limited': {
    when: 'Too many creating requests of one user, too many requests of one caller at the same time, or too many for one address (docs/limits.md). `Retry-After` says how many seconds to wait. Not with `HOB_ABUSE_LIMITS=off`.',
    refusal: { kind: 'abuse-limited', about: 'creation', retryAfterSeconds: 60 },
  },
  unavailable: {
    when: 'The server cannot do it at the moment: its git process is being restarted, its database cannot be reached, the repository is being recovered after a crash, or too many passwords are being checked. Try again soon.',
    refusal: {
      kind: 'unavailable',
      message: 'The git service is being restarted. Try again soon.',
    },
  },
  'insufficient-storage': {
    when: 'There is no room on the disk for what the request would store. What only reads is answered.',
    refusal: { kind: 'insufficient-storage', message: storageSentences['disk-full'] },
  },
};

const introduction = `# Errors

Generated by \`npm run docs\` from \`forge/conventions/error-catalogue.ts\`; \`npm run check\` says when it is stale.

An expected no is JSON: a \`message\`, a \`documentation_url\` that this server answers, and for invalid fields \`errors\`. Match on the
status and on \`errors[].code\`; messages are for people, although those that clients match on are kept as they know them.

## Codes of \`errors[].code\`

| Code | Meaning |
|---|---|
| \`missing\` | a resource does not exist |
| \`missing_field\` | a required field is not set |
| \`invalid\` | a field is malformed, or names what is not there |
| \`already_exists\` | another resource has the same value |
| \`unprocessable\` | the inputs are invalid |
| \`custom\` | the entry's \`message\` says what is wrong |
| \`too_large\` | the answer would be too long (diffs, 406) |

## Refusals
`;

const notRefusals = `## What is no refusal of this table

- **403 in plain text**: the request has no \`User-Agent\` (\`forge/conventions/user-agent.ts\`). The connection is closed.
- **500**: a fault of the server. The message has the request's id (\`X-GitHub-Request-Id\`), under which the log has the cause.
- **503 while starting**: the port is open before the server is ready (\`serve/listener.ts\`), with \`Retry-After: 1\`.
- **git over HTTP** answers git's clients in plain text: 401 with a challenge while credentials could help, then 403 or 404
  (\`forge/git-http/git-access.ts\`). A ref that is turned down in a push has its sentence in git's own report.
- With \`?callback=\` every answer is 200, and the status is in \`meta\`.
`;

function section({ when, refusal }: Example<Refusal>): string {
  const { status, message, errors, documentation } = renderRefusal(refusal);
  const body = {
    message,
    ...(errors ? { errors } : {}),
    ...(refusal.kind === 'moved' ? { url: '…/api/v3/repositories/1' } : {}),
    documentation_url: `…/docs/rest/${documentation ?? 'reference/…'}`.replace(/\/$/, ''),
  };
  const example = JSON.stringify(body, null, 2);
  return `### ${refusal.kind}: ${status}\n\n${when}\n\n\`\`\`json\n${example}\n\`\`\`\n`;
}
