import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { present } from '#platform/present.ts';

import { endWithThisProcess } from '../scenarios/child-processes.ts';
import { measure, type Measured, request } from './load.ts';
import { headersSent, server } from './server-under-test.ts';

/** Long enough for the compiler to optimize, short enough that the whole takes a few minutes. */
const warmMilliseconds = 1500;
const measuredMilliseconds = 3000;

/** The same requests one at a time, where the round trip counts, and many at a time, where the processor does. */
export interface Load {
  readonly alone: Measured;
  readonly loaded: Measured;
}

export interface SampledLoad extends Load {
  readonly sample: Canned;
}

export interface Canned {
  status: number;
  body: string;
  headers: Record<string, string>;
}

export interface LoadOptions {
  readonly body?: (serial: number) => string;
  /** Instead of that of the URL. */
  readonly query?: (serial: number) => string;
  readonly connections?: number;
  /** Instead of those that the forge is sent. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Hob, asked for a path of the benchmark's repository. */
export async function load(
  method: string,
  path: string,
  options: LoadOptions = {},
): Promise<SampledLoad> {
  const url = new URL(`${server.url}/api/v3/repos/${server.login}/bench${path}`);
  const sample = await sampleOf(method, url, options.body?.(0));
  return { ...(await loadAt(method, url, server.pid, options)), sample };
}

/** Whatever listens there. */
export async function loadAt(
  method: string,
  url: URL,
  pid: number,
  options: LoadOptions,
): Promise<Load> {
  const headers = { ...(options.headers ?? headersSent) };
  const shot = {
    host: url.hostname,
    port: Number(url.port),
    bytes: (serial: number): Buffer => {
      const query = options.query?.(serial);
      const to = query === undefined ? url : new URL(`?${query}`, url);
      return request(method, to, headers, options.body?.(serial));
    },
  };
  const connections = options.connections ?? 8;
  await measure(shot, pid, { connections, milliseconds: warmMilliseconds });
  const loaded = await measure(shot, pid, { connections, milliseconds: measuredMilliseconds });
  const alone = await measure(shot, pid, { connections: 1, milliseconds: 1000 });
  return { alone, loaded };
}

async function sampleOf(
  method: string,
  url: URL,
  body?: string,
  sent: Record<string, string> = headersSent,
): Promise<Canned> {
  const response = await fetch(url, {
    method,
    headers: sent,
    ...present({ body }),
  });
  const headers = Object.fromEntries(response.headers);
  for (const own of ['connection', 'keep-alive', 'date', 'transfer-encoding']) delete headers[own];
  return { status: response.status, body: await response.text(), headers };
}

export interface Bare {
  load(method: string, path: string, options?: LoadOptions): Promise<Load>;
  loadAt(method: string, url: URL, options?: LoadOptions): Promise<Load>;
  end(): void;
}

/** A bare server that hands each request to a waiting process over a Unix socket and sends what Hob sends at this URL. */
export async function startBareRelayAt(
  method: string,
  url: URL,
  headers: Record<string, string>,
  body: string,
): Promise<Bare> {
  const canned = { [url.pathname]: await sampleOf(method, url, body, headers) };
  return startBare([], canned, ['--relay']);
}

export async function startBare(
  paths: readonly string[],
  more: Record<string, Canned> = {},
  flags: readonly string[] = [],
): Promise<Bare> {
  const canned: Record<string, Canned> = { ...more };
  for (const path of paths) {
    const url = new URL(`${server.url}/api/v3/repos/${server.login}/bench${path}`);
    canned[url.pathname] = await sampleOf('GET', url);
  }
  const child = spawn(process.execPath, [join(import.meta.dirname, 'bare-server.ts'), ...flags], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  endWithThisProcess(child);
  child.stdin.end(JSON.stringify(canned));
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const at = (path: string): URL => new URL(path, `http://127.0.0.1:${line}`);
  return {
    load: (method, path, options = {}) =>
      loadAt(method, at(`/api/v3/repos/${server.login}/bench${path}`), pidOf(child), options),
    loadAt: (method, { pathname }, options = {}) =>
      loadAt(method, at(pathname), pidOf(child), options),
    end: () => child.kill(),
  };
}

function pidOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error('the bare server did not start');
  return child.pid;
}
