/** A server with test controls, for the scenarios that use them. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import {
  removeFolder,
  type RunningServer,
  type ServerOptions,
  startServer,
} from './running-server.ts';

export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests reach into answers of every shape
  readonly body: any;
}

export interface ControlledServer extends RunningServer {
  /** The data directory. */
  readonly folder: string;
  /** Asks the REST API; as the site administrator by default. '': without credentials. */
  api(method: string, path: string, body?: unknown, authorization?: string): Promise<HttpResponse>;
  /** Asks a test control, as the site administrator. */
  control(method: string, path: string, body?: unknown): Promise<HttpResponse>;
  /** Stops it and removes what it leaves. */
  close(): Promise<void>;
}

export async function startControlledServer(
  options: ServerOptions = {},
): Promise<ControlledServer> {
  const folder = await mkdtemp(join(tmpdir(), 'hob-controls-'));
  const flags = ['--test-controls', ...(options.flags ?? [])];
  const server = await startServer(folder, { ...options, flags });
  const own = `token ${server.token}`;
  return {
    ...server,
    folder,
    api: (method, path, body, authorization = own) =>
      ask(`${server.url}/api/v3${path}`, method, body, authorization),
    control: (method, path, body) => ask(`${server.url}/-/test${path}`, method, body, own),
    async close() {
      await server.stop();
      await removeFolder(folder);
    },
  };
}

async function ask(
  url: string,
  method: string,
  body: unknown,
  authorization: string,
): Promise<HttpResponse> {
  const response = await fetch(url, {
    method,
    headers: { 'user-agent': 'hob-test', ...(authorization === '' ? {} : { authorization }) },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? JSON.parse(text) : text,
  };
}
