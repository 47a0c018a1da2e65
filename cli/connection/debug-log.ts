import type { Sink, TransportAnswer, CliContext } from '../context/cli-context.ts';
import { withoutSecrets, argsWithoutSecrets } from './without-secrets.ts';

/** What `--debug` shows. */
export interface DebugLog {
  note(source: string, message: string): void;
  request(url: string, request: LoggedRequest): void;
  answer(answer: TransportAnswer): void;
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

/** Lines on the error output, in the layout of the recorded client. Nothing secret goes in. */
export function debugLog(stderr: Sink, now: () => number, client: string): DebugLog {
  const note = (source: string, message: string): void => {
    const [date, time = ''] = new Date(now()).toISOString().slice(0, -1).split('T');
    const stamp = `${date} ${time.replace('.', ',')}`;
    stderr.write(
      `${stamp} - MainThread - ${client}.${source} - DEBUG - ${withoutSecrets(message)}\n`,
    );
  };
  return {
    note,
    request: (url, { method, headers, body }) => {
      note('endpoint', `Sending ${method} ${url}`);
      note('endpoint', `Request headers: ${JSON.stringify(headers)}`);
      note('endpoint', `Request body: ${printedBody(body)}`);
    },
    answer: ({ status, headers, body }) => {
      note('parsers', `Response: ${status} ${JSON.stringify(headers)}`);
      note('parsers', `Response body: ${printedBody(body)}`);
    },
  };
}

const bodyMax = 4096;

function printedBody(body: Uint8Array): string {
  const text = Buffer.from(body).toString('utf8');
  return text.length <= bodyMax
    ? text
    : `${text.slice(0, bodyMax)}… (${body.byteLength} bytes in all)`;
}
