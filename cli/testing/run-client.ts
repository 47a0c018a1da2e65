import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';

import { runFunctionsClient } from '../main.ts';
import type { TransportResponse, TransportRequest, CliContext } from '../context/cli-context.ts';
import { runExecutable } from './run-executable.ts';

/** Names a client that was built, which then does what needs neither a terminal, nor seconds of waiting, nor a version made up. */
const executable = process.env['HOB_CLIENT_EXECUTABLE'];
const onlyHere = ['wait', '--wait', '--version'];

export interface ClientRun {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly requests: readonly SentRequest[];
}

export interface SentRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface ClientEnvironment {
  /** Files of the folder that the client runs in. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly environment?: CliContext['environment'];
  /** What the service answers; by default an empty record. */
  readonly answer?: (request: SentRequest, count: number) => Partial<TransportResponse> | object;
  /** Requests go over the network to the endpoint of the arguments, and `answer` has no part in it. */
  readonly network?: boolean;
  readonly terminal?: boolean;
  /** What is typed, line by line. */
  readonly typed?: readonly string[];
  /** Called where the client waits for seconds. */
  readonly pause?: () => void;
}

/** Runs the client, with a service that answers as configured, and collects what it prints and sends. */
export async function runClient(
  args: readonly string[],
  {
    files = {},
    environment,
    answer,
    network = false,
    terminal = false,
    typed,
    pause = () => {},
  }: ClientEnvironment = {},
): Promise<ClientRun> {
  const directory = await mkdtemp(join(tmpdir(), 'hob-client-'));
  const requests: SentRequest[] = [];
  const written = { stdout: '', stderr: '' };
  const stdin = new PassThrough();
  if (typed !== undefined) stdin.end(typed.map((line) => `${line}\n`).join(''));
  const sink = (name: keyof typeof written) => ({
    write: (chunk: string | Uint8Array): void => {
      written[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
    },
  });
  const transport = async (request: TransportRequest): Promise<TransportResponse> => {
    const sent = sentRequest(request);
    requests.push(sent);
    return wireResponse(answer?.(sent, requests.length) ?? {});
  };
  try {
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(directory, name)), { recursive: true });
      await writeFile(join(directory, name), content);
    }
    const elsewhere =
      !terminal && typed === undefined && !args.some((argument) => onlyHere.includes(argument));
    if (executable !== undefined && elsewhere) {
      return await runExecutable(executable, args, {
        directory,
        environment: { ...keys, ...environment },
        answer: (request, count) => wireResponse(answer?.(request, count) ?? {}),
      });
    }
    const exitCode = await runFunctionsClient(args, {
      environment: { ...keys, AWS_ENDPOINT_URL: 'http://127.0.0.1:1', ...environment },
      stdin,
      stdout: sink('stdout'),
      stderr: sink('stderr'),
      isTerminal: { stdin: typed !== undefined, stdout: terminal, stderr: terminal },
      columns: 80,
      home: directory,
      directory,
      version: () => '1.2.3',
      now: () => 1_767_225_600_000,
      random: () => 0,
      pause: async () => pause(),
      ...(network ? {} : { transport }),
    });
    return { exitCode, ...written, requests };
  } finally {
    await rm(directory, { recursive: true });
  }
}

const keys = {
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_DEFAULT_REGION: 'us-east-1',
  // A pager would want the terminal that these tests only pretend to have.
  AWS_PAGER: '',
};

function sentRequest({ method, url, headers, body }: TransportRequest): SentRequest {
  const { pathname, search } = new URL(url);
  return { method, path: pathname + search, headers, body: Buffer.from(body).toString('utf8') };
}

/** An answer given as a plain object is a record with status 200. */
function wireResponse(answer: Partial<TransportResponse> | object): TransportResponse {
  if ('status' in answer && typeof answer.status === 'number')
    return { headers: {}, body: new Uint8Array(), ...answer, status: answer.status };
  return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(answer)) };
}

/** An error as the service sends it. */
export function refusal(status: number, code: string, message: string): TransportResponse {
  return {
    status,
    headers: { 'x-amzn-errortype': code },
    body: Buffer.from(JSON.stringify({ Type: 'User', message })),
  };
}
