import type { Sink, TransportResponse, CliContext } from '../context/cli-context.ts';
import { visibleControls } from '#platform/visible-controls.ts';

/** What `--debug` shows. */
export interface DebugLog {
  note(source: string, message: string): void;
  request(url: string, request: LoggedRequest): void;
  response(response: TransportResponse): void;
}

interface LoggedRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** The first two lines: the version of the client, and its arguments. */
export function noteCommand(
  args: readonly string[],
  { stderr, now, version }: Pick<CliContext, 'stderr' | 'now' | 'version'>,
): void {
  const log = debugLog(stderr, now, 'hob');
  log.note('client', `CLI version: hob/${version()}`);
  log.note('client', `Arguments entered to CLI: ${JSON.stringify(argsWithoutSecrets(args))}`);
}

/** Lines on the error output, in the layout of the AWS CLI. Nothing secret goes in. */
export function debugLog(stderr: Sink, now: () => number, client: string): DebugLog {
  const note = (source: string, message: string): void => {
    const [date, time = ''] = new Date(now()).toISOString().slice(0, -1).split('T');
    const stamp = `${date} ${time.replace('.', ',')}`;
    stderr.write(
      `${stamp} - MainThread - ${client}.${source} - DEBUG - ${visibleControls(withoutSecrets(message))}\n`,
    );
  };
  return {
    note,
    request: (url, { method, headers, body }) => {
      note('endpoint', `Sending ${method} ${url}`);
      note('endpoint', `Request headers: ${JSON.stringify(headers)}`);
      note('endpoint', `Request body: ${printedBody(body)}`);
    },
    response: ({ status, headers, body }) => {
      note('parsers', `Response: ${status} ${JSON.stringify(headers)}`);
      note('parsers', `Response body: ${printedBody(body)}`);
    },
  };
}

/** Characters of a body that `--debug` shows; the rest is cut. */
const bodyCharactersMax = 4096;

function printedBody(body: Uint8Array): string {
  const text = Buffer.from(body).toString('utf8');
  return text.length <= bodyCharactersMax
    ? text
    : // Redacted here, where a value that is cut is still the end of the text.
      `${withoutSecrets(text.slice(0, bodyCharactersMax))}… (${body.byteLength} bytes in all)`;
}

/**
 * A text for a log with its secrets redacted: logs are pasted into questions. Works on the text because secrets
 * come by many ways: headers, canonical requests, bodies, the arguments of the command line.
 */
export function withoutSecrets(text: string): string {
  return secretPatterns.reduce(
    (rest, { pattern, replacement }) => rest.replaceAll(pattern, replacement),
    text,
  );
}

/** The arguments of a command line, where any value of an option may be a secret. */
export function argsWithoutSecrets(args: readonly string[]): string[] {
  let secret = false;
  return args.map((argument) => {
    if (!argument.startsWith('--')) return secret ? redacted : argument;
    const [name = ''] = argument.split('=', 1);
    // Options can be abbreviated.
    secret = name !== '--' && secretOptions.some((option) => option.startsWith(name));
    return secret && argument !== name ? `${name}=${redacted}` : argument;
  });
}

/** Those with environment variables in any notation among them. */
const secretOptions = [
  '--set-env',
  '--secret-access-key',
  '--environment',
  '--cli-input-json',
  '--cli-input-yaml',
];

const redacted = '***';

interface SecretPattern {
  readonly pattern: RegExp;
  readonly replacement: string;
}

const secretPatterns: readonly SecretPattern[] = [
  { pattern: /(Signature=)[0-9a-f]+/g, replacement: `$1${redacted}` },
  { pattern: /(x-amz-security-token"?: ?"?)[^"\n]+/gi, replacement: `$1${redacted}` },
  {
    pattern:
      /("?(?:SecretAccessKey|SessionToken|secret_access_key|ZipFile)"?\s*[:=]\s*"?)[^"\s,}]+/gi,
    replacement: `$1${redacted}`,
  },
  // Environment variables, in JSON and in shorthand, braces in quoted values and a value that is cut off included.
  {
    pattern:
      /((?:\\?")?Variables(?:\\?")?\s*[:=]\s*)\{(?:\\?"(?:[^"\\]|\\.)*?(?:"|\\?$)|'[^']*'|[^{}"'])*\}?/g,
    replacement: `$1{${redacted}}`,
  },
];
