import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { after, before, describe, test } from 'node:test';

import { type FunctionService, startFunctionService } from './function-service.ts';

/** As tutorials have it: the link of the payload, and a token. */
const gate = `
export const handler = async ({ repository, after: sha }) => {
  const url = repository.statuses_url.replace('{sha}', sha);
  const answer = await fetch(url, {
    method: 'POST',
    headers: { authorization: 'token ' + process.env.GITHUB_TOKEN },
    body: JSON.stringify({ state: 'success', context: 'gate' }),
  });
  return { status: answer.status, text: await answer.text() };
};`;

/** Looks around from inside. */
const looking = `
import { connect } from 'node:net';

const held = [];
const actions = {
  variables: ({ names }) => Object.fromEntries(names.map((name) => [name, process.env[name]])),
  get: async ({ url, headers }) => (await fetch(url, { headers })).status,
  connect: ({ host, port }) => new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.on('connect', () => resolve('connected')).on('error', ({ code }) => resolve(code));
  }),
  // Resolves when the server has closed so many of them; keeps the others.
  flood: ({ host, port, count, closed }) => new Promise((resolve) => {
    let left = closed;
    for (let index = 0; index < count; index += 1) {
      const socket = connect({ host, port }).on('error', () => {}).resume();
      socket.on('close', () => { left -= 1; if (left === 0) resolve(held.length); });
      held.push(socket);
    }
  }),
  // Requests more than it reads, and stops.
  freeze: ({ host, port, path }) => new Promise(() => {
    const socket = connect({ host, port }).pause();
    const request = 'GET ' + path + ' HTTP/1.1\\r\\nhost: ' + host + '\\r\\nuser-agent: a\\r\\n\\r\\n';
    socket.write(request.repeat(500), () => process.kill(process.pid, 'SIGSTOP'));
  }),
};
export const handler = async (event) => actions[event.do](event);`;

/** Invokes itself by a signature of its own, and sends no trace header. */
const looping = `
import { createHash, createHmac } from 'node:crypto';

const sha256 = (text) => createHash('sha256').update(text).digest('hex');
const hmac = (key, text) => createHmac('sha256', key).update(text).digest();

export async function ask(method, path, body) {
  const { AWS_ENDPOINT_URL, AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env;
  const time = new Date().toISOString().replaceAll(/[-:]|\\.\\d+/g, '');
  const scope = [time.slice(0, 8), AWS_REGION, 'lambda', 'aws4_request'];
  const headers = {
    host: new URL(AWS_ENDPOINT_URL).host,
    'x-amz-date': time,
    'x-amz-security-token': AWS_SESSION_TOKEN,
  };
  const names = Object.keys(headers).join(';');
  const lines = Object.entries(headers).map(([name, value]) => name + ':' + value);
  const canonical = [method, path, '', ...lines, '', names, sha256(body)].join('\\n');
  const text = ['AWS4-HMAC-SHA256', time, scope.join('/'), sha256(canonical)].join('\\n');
  const key = scope.reduce(hmac, 'AWS4' + AWS_SECRET_ACCESS_KEY);
  const authorization = 'AWS4-HMAC-SHA256 Credential=' + AWS_ACCESS_KEY_ID + '/' + scope.join('/') +
    ', SignedHeaders=' + names + ', Signature=' + hmac(key, text).toString('hex');
  const answer = await fetch(AWS_ENDPOINT_URL + path, {
    method,
    headers: { ...headers, authorization },
    ...(method === 'GET' ? {} : { body }),
  });
  return { status: answer.status, text: await answer.text() };
}

export const handler = async ({ read, count }) => {
  if (read) return ask('GET', '/2015-03-31/functions/' + read, '');
  const { status, text } = await ask(
    'POST', '/2015-03-31/functions/loop/invocations', JSON.stringify({ count: count + 1 }));
  return status === 200 ? JSON.parse(text) : { count, status, text };
};`;

const variables = [
  'GITHUB_SERVER_URL',
  'GITHUB_API_URL',
  'GITHUB_GRAPHQL_URL',
  'AWS_ENDPOINT_URL',
] as const;

interface Repository {
  readonly full_name: string;
  readonly statuses_url: string;
}

describe('functions without a network', () => {
  let service: FunctionService;
  let hostServer: Server;
  let hostPort: number;
  let repository: Repository;
  let sha: string;
  let isolated: boolean;

  before(async () => {
    hostServer = createServer((socket) => socket.end('the host'));
    hostServer.listen(0, '127.0.0.1');
    await once(hostServer, 'listening');
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
    hostPort = (hostServer.address() as AddressInfo).port;
    service = await startFunctionService({ HOB_ALLOW_UNSIGNED: 'on' });
    isolated = service.tier === 'full' || service.tier === 'user';
    const { token } = service.server;
    repository = await api('POST', '/user/repos', { name: 'project', auto_init: true });
    ({ sha } = await api<{ sha: string }>('GET', `/repos/${repository.full_name}/commits/main`));
    const Environment = { Variables: { GITHUB_TOKEN: token } };
    await service.create('gate', { 'index.mjs': gate }, { Environment, Timeout: 60 });
    await service.create('look', { 'index.mjs': looking }, { Timeout: 60 });
    await service.create('loop', { 'index.mjs': looping }, { Timeout: 60 });
  });
  after(async () => {
    hostServer.close();
    await service.stop();
  });

  async function api<T = Repository>(method: string, path: string, body?: object): Promise<T> {
    const { url, token } = service.server;
    const answer = await fetch(`${url}/api/v3${path}`, {
      method,
      headers: { authorization: `token ${token}` },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    assert.ok(answer.ok, text);
    return JSON.parse(text);
  }

  const look = async (event: object): Promise<unknown> =>
    (await service.invoke('look', event)).value;

  async function setsStatus(): Promise<void> {
    const { value } = await service.invoke('gate', { repository, after: sha });
    assert.equal(value.status, 201, JSON.stringify(value));
  }

  test('set a status by the link of a payload', async () => {
    await setsStatus();
    const { state } = await api<{ state: string }>(
      'GET',
      `/repos/${repository.full_name}/commits/${sha}/status`,
    );
    assert.equal(state, 'success');
  });

  test('find the server by variables, which their configuration does not contain', async () => {
    const { url } = service.server;
    const expected = [url, `${url}/api/v3`, `${url}/api/graphql`, url];
    const found = await look({ do: 'variables', names: variables });
    assert.deepEqual(
      found,
      Object.fromEntries(variables.map((name, index) => [name, expected[index]])),
    );
    const { Environment } = await service.configuration('look');
    assert.deepEqual(Environment?.Variables ?? {}, {});
  });

  test('set such a variable themselves', async () => {
    const Variables = { AWS_ENDPOINT_URL: 'http://elsewhere', GITHUB_API_URL: 'http://other' };
    await service.create('own', { 'index.mjs': looking }, { Environment: { Variables } });
    const { value } = await service.invoke('own', { do: 'variables', names: variables });
    assert.equal(value.AWS_ENDPOINT_URL, 'http://elsewhere');
    assert.equal(value.GITHUB_API_URL, 'http://other');
    assert.equal(value.GITHUB_SERVER_URL, service.server.url);
  });

  test('reach nothing else of the host, no page, and sign in by no password', async (context) => {
    if (!isolated) return context.skip(`tier ${service.tier}`);
    const { url, login, password } = service.server;
    assert.equal(await look({ do: 'connect', host: '127.0.0.1', port: hostPort }), 'ECONNREFUSED');
    for (const path of ['/login', '/-/home', `/${repository.full_name}`, '/healthz']) {
      assert.equal(await look({ do: 'get', url: url + path }), 403, path);
    }
    const authorization = `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`;
    const user = { do: 'get', url: `${url}/api/v3/user`, headers: { authorization } };
    assert.equal(await look(user), 401);
    const unsigned = `${url}/2015-03-31/functions`;
    assert.equal((await fetch(unsigned)).status, 200);
    assert.equal(await look({ do: 'get', url: unsigned }), 403);
  });

  test('invoke functions by the credentials that all have, and administer none', async (context) => {
    if (!isolated) return context.skip(`tier ${service.tier}`);
    const { value } = await service.invoke('loop', { read: 'gate' });
    assert.equal(value.status, 403, JSON.stringify(value));
    assert.match(value.text, /not authorized to perform: lambda:GetFunction/);
  });

  test('end a loop after sixteen times, although they send no trace header', async (context) => {
    if (!isolated) return context.skip(`tier ${service.tier}`);
    const { value } = await service.invoke('loop', { count: 1 });
    assert.equal(value.count, 16);
    assert.match(value.text, /Recursive loop/);
  });

  test('harm nobody else by connections without number, or unread', async (context) => {
    if (!isolated) return context.skip(`tier ${service.tier}`);
    const { hostname, port } = new URL(service.server.url);
    const to = { host: hostname, port: Number(port) };
    assert.equal(await look({ do: 'flood', ...to, count: 200, closed: 150 }), 200);
    await setsStatus();
    await service.create('frozen', { 'index.mjs': looking }, { Timeout: 2 });
    const path = `/api/v3/repos/${repository.full_name}`;
    const frozen = await service.invoke('frozen', { do: 'freeze', ...to, path });
    assert.match(JSON.stringify(frozen.value), /timed out/);
    await setsStatus();
  });
});

describe('functions where HOB_FUNCTION_FORGE is off', () => {
  let service: FunctionService;
  before(async () => {
    service = await startFunctionService({ HOB_FUNCTION_FORGE: 'off' });
    await service.create('look', { 'index.mjs': looking });
  });
  after(() => service.stop());

  test('do not find the server', async (context) => {
    const names = await service.invoke('look', { do: 'variables', names: variables });
    assert.deepEqual(names.value, {});
    if (service.tier !== 'full' && service.tier !== 'user') return context.skip(service.tier);
    const { hostname, port } = new URL(service.server.url);
    const event = { do: 'connect', host: hostname, port: Number(port) };
    assert.equal((await service.invoke('look', event)).value, 'ECONNREFUSED');
  });
});
