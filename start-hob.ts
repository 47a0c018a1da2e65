/** What `import { startHob } from 'hob'` gives: a server for tests, in a process of its own (docs/testing-with-hob.md). */
import { join, resolve as absolute } from 'node:path';
import { createInterface } from 'node:readline';

import { type Child, startChild } from '#platform/child-process.ts';
import { systemRandom } from '#platform/random.ts';
import { installerEnvironment } from '#settings/settings.ts';

export interface StartHobOptions {
  /** Settings by their variables, such as `{ HOB_ABUSE_LIMITS: 'off' }`. Variables of the test run itself are not passed on. */
  readonly settings?: Readonly<Record<string, string>>;
  /** A file of users, repositories and functions to begin with, also after each reset. */
  readonly seed?: string;
  /** Further flags of `hob serve`. */
  readonly flags?: readonly string[];
}

/** A server that retains nothing, on a free port of the loopback, with test controls. */
export interface Hob extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`: of the function service, and of the pages. */
  readonly url: string;
  /** Of the REST API: what Octokit calls `baseUrl`. */
  readonly apiUrl: string;
  /** The site administrator, and a token with every scope. */
  readonly login: string;
  readonly token: string;
  /** For the function service. */
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
  /** Everything is as it was after the start. */
  reset(): Promise<void>;
  snapshot(name: string): Promise<void>;
  restore(name: string): Promise<void>;
  /** Asks a test control by its path below `/-/test/`, and gives what it responds. Rejects when it refuses. */
  control(method: string, path: string, body?: unknown): Promise<unknown>;
  /** Stops the server and removes what it has stored. */
  close(): Promise<void>;
}

/**
 * For Node: a young generation that holds all that a start allocates. It would otherwise be copied several times by threads that wait
 * for each other while other test files run.
 */
const forLoading = ['--min-semi-space-size=32'];
const login = 'root';
const region = 'us-east-1';

/** Starts a server for a test file. It also stops when the program that started it ends, however that ends. */
export async function startHob(options: StartHobOptions = {}): Promise<Hob> {
  const token = systemRandom.token();
  const accessKeyId = `AKIA${systemRandom.bytes(8).toString('hex').toUpperCase()}`;
  const secretAccessKey = systemRandom.token();
  const child = startChild({
    command: process.execPath,
    arguments: [
      ...forLoading,
      join(import.meta.dirname, 'bin.cjs'),
      'serve',
      '--ephemeral',
      '--stop-at-eof',
      '--test-controls',
      '--port=0',
      ...(options.seed === undefined ? [] : ['--seed', absolute(options.seed)]),
      ...(options.flags ?? []),
    ],
    environment: {
      ...installerEnvironment(),
      HOB_ADMIN_LOGIN: login,
      HOB_ADMIN_TOKEN: token,
      HOB_ACCESS_KEY_ID: accessKeyId,
      HOB_SECRET_ACCESS_KEY: secretAccessKey,
      HOB_REGION: region,
      ...options.settings,
    },
    directory: '/',
  });
  const url = await readyUrl(child);
  const control = (method: string, path: string, body?: unknown): Promise<unknown> =>
    ask(`${url}/-/test/${path}`, { method, token, body });
  const close = async (): Promise<void> => {
    child.stdin.end();
    await child.ended;
  };
  return {
    url,
    apiUrl: `${url}/api/v3`,
    login,
    token,
    accessKeyId,
    secretAccessKey,
    region,
    async reset() {
      await control('POST', 'reset');
    },
    async snapshot(name) {
      await control('POST', 'snapshot', { name });
    },
    async restore(name) {
      await control('POST', 'restore', { name });
    },
    control,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** What a server that does not start has said ends up in the error. */
async function readyUrl(child: Child): Promise<string> {
  const said: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => said.push(text));
  const ready = new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const url = /^Hob is ready at (\S+)$/.exec(line)?.[1];
      if (url !== undefined) resolve(url);
    });
  });
  const failed = child.ended.then(({ startError }) => {
    throw new Error(`Hob did not start: ${startError?.message ?? said.join('').trim()}`);
  });
  const url = await Promise.race([ready, failed]);
  failed.catch(() => {});
  said.length = 0;
  return url;
}

async function ask(
  url: string,
  { method, token, body }: { method: string; token: string; body: unknown },
): Promise<unknown> {
  const response = await fetch(url, {
    method,
    headers: { authorization: `token ${token}`, 'user-agent': 'hob' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url} responded ${response.status}: ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}
