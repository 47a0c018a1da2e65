import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { generateHistory } from '../scenarios/generated-history.ts';
import { git, remoteUrl } from '../scenarios/git-client.ts';
import { startServer } from '../scenarios/running-server.ts';
import { measure, type Measured, request } from './load.ts';
import { Table } from './table.ts';

/** Long enough for the compiler to settle, short enough that the whole takes about two minutes. */
const warmMilliseconds = 1500;
const measuredMilliseconds = 3000;

const folder = await mkdtemp(join(tmpdir(), 'hob-bench-'));
const server = await startServer(join(folder, 'data'), {
  environment: { HOB_RATE_LIMIT_USER: '1000000000', HOB_ABUSE_LIMITS: 'off' },
});
const headersSent = {
  authorization: `token ${server.token}`,
  'user-agent': 'hob-bench',
  accept: 'application/vnd.github.v3+json',
};

try {
  await run();
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

async function run(): Promise<void> {
  const table = new Table();
  await fill();
  progress('reads');
  const bare = await startBare(['/pulls/1', '/pulls', `/commits/topic/status`]);
  try {
    for (const [name, path] of [
      ['GET one pull', '/pulls/1'],
      ['GET 30 pulls', '/pulls'],
      ['GET combined status, 30 contexts', '/commits/topic/status'],
    ] as const) {
      table.compare(name, await load('GET', path), await bare.load('GET', path), 0.6);
    }
    progress('statuses');
    const sha = (await api('GET', '/pulls/1')).head.sha;
    const status = (serial: number): string =>
      JSON.stringify({ state: 'success', context: `c${serial % 900}` });
    const path = `/statuses/${sha}`;
    const posted = await load('POST', path, { body: status, connections: 32 });
    const bareStatus = await startBare([], {
      [`/api/v3/repos/${server.login}/bench${path}`]: posted.sample,
    });
    table.compare(
      'POST a status, 32 clients',
      posted,
      await bareStatus.load('POST', path, { body: status, connections: 32 }),
      0.25,
    );
    bareStatus.end();
  } finally {
    bare.end();
  }
  await measureFlatness(table);
  await measureTestMerge(table);
  await measureGit(table);
}

interface Load extends Measured {
  readonly sample: Canned;
}

interface Canned {
  status: number;
  body: string;
  headers: Record<string, string>;
}

interface LoadOptions {
  readonly body?: (serial: number) => string;
  readonly connections?: number;
}

/** Hob, asked for a path of the benchmark's repository. */
async function load(method: string, path: string, options: LoadOptions = {}): Promise<Load> {
  const url = new URL(`${server.url}/api/v3/repos/${server.login}/bench${path}`);
  const sample = await sampleOf(method, url, options.body?.(0));
  return { ...(await fire(method, url, server.pid, options)), sample };
}

async function fire(
  method: string,
  url: URL,
  pid: number,
  options: LoadOptions,
): Promise<Measured> {
  const shot = {
    host: url.hostname,
    port: Number(url.port),
    bytes: (serial: number): Buffer => request(method, url, headersSent, options.body?.(serial)),
  };
  const connections = options.connections ?? 8;
  await measure(shot, pid, { connections, milliseconds: warmMilliseconds });
  const loaded = await measure(shot, pid, { connections, milliseconds: measuredMilliseconds });
  const alone = await measure(shot, pid, { connections: 1, milliseconds: 1000 });
  return { ...loaded, p50Milliseconds: alone.p50Milliseconds };
}

async function sampleOf(method: string, url: URL, body?: string): Promise<Canned> {
  const response = await fetch(url, {
    method,
    headers: headersSent,
    ...(body === undefined ? {} : { body }),
  });
  const headers = Object.fromEntries(response.headers);
  for (const own of ['connection', 'keep-alive', 'date', 'transfer-encoding']) delete headers[own];
  return { status: response.status, body: await response.text(), headers };
}

interface Bare {
  load(method: string, path: string, options?: LoadOptions): Promise<Measured>;
  end(): void;
}

async function startBare(
  paths: readonly string[],
  more: Record<string, Canned> = {},
): Promise<Bare> {
  const canned: Record<string, Canned> = { ...more };
  for (const path of paths) {
    const url = new URL(`${server.url}/api/v3/repos/${server.login}/bench${path}`);
    canned[url.pathname] = await sampleOf('GET', url);
  }
  const child = spawn(process.execPath, [join(import.meta.dirname, 'bare-server.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(canned));
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return {
    load: (method, path, options = {}) =>
      fire(
        method,
        new URL(`http://127.0.0.1:${line}/api/v3/repos/${server.login}/bench${path}`),
        pidOf(child),
        options,
      ),
    end: () => child.kill(),
  };
}

function pidOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error('the bare server did not start');
  return child.pid;
}

// oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
async function api(
  method: string,
  path: string,
  body?: unknown,
  repository = 'bench',
): Promise<any> {
  const url = `${server.url}/api/v3${path.startsWith('/user') ? path : `/repos/${server.login}/${repository}${path}`}`;
  const response = await fetch(url, {
    method,
    headers: headersSent,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok)
    throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
  return response.status === 204 ? undefined : response.json();
}

/** A repository with 100 pulls and a commit with 30 contexts. */
async function fill(): Promise<void> {
  progress('filling a repository');
  await api('POST', '/user/repos', { name: 'bench' });
  const work = join(folder, 'work');
  await git(folder, 'init', '-q', '-b', 'main', work);
  await generateHistory(work, { commits: 100, files: 200 });
  await git(work, 'remote', 'add', 'origin', remote('bench'));
  await makeBranches(work, ['topic']);
  await makeBranches(
    work,
    Array.from({ length: 99 }, (_, index) => `b${index}`),
  );
  await git(work, 'push', '-q', '--all', 'origin');
  await api('POST', '/pulls', {
    title: 'The pull',
    head: 'topic',
    base: 'main',
    body: 'x'.repeat(500),
  });
  for (let index = 0; index < 99; index += 1) {
    await api('POST', '/pulls', { title: `Pull ${index}`, head: `b${index}`, base: 'main' });
  }
  const { sha } = (await api('GET', '/pulls/1')).head;
  for (let index = 0; index < 30; index += 1) {
    await api('POST', `/statuses/${sha}`, {
      state: 'success',
      context: `ci/${index}`,
      description: 'fine',
    });
  }
  while ((await api('GET', '/pulls/1')).mergeable === null);
}

/** Branches with a commit of their own each, made without a work tree. */
async function makeBranches(work: string, names: readonly string[]): Promise<void> {
  const child = spawn('git', ['fast-import', '--quiet'], {
    cwd: work,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const exited = once(child, 'exit');
  for (const name of names) {
    child.stdin.write(
      `commit refs/heads/${name}\ncommitter G <g@example.test> 1700000000 +0000\ndata 2\nx\nfrom refs/heads/main\n` +
        `M 100644 inline ${name}.txt\ndata ${name.length}\n${name}\n\n`,
    );
  }
  child.stdin.end();
  await exited;
}

function remote(repository: string): string {
  return remoteUrl(server.url, server.login, server.token, `${server.login}/${repository}`);
}

/** The same GET with a hundred times as many pulls stored: the cost must not follow. */
async function measureFlatness(table: Table): Promise<void> {
  const few = await load('GET', '/pulls/1');
  progress('storing 10,000 pulls');
  const work = join(folder, 'work');
  const names = Array.from({ length: 9900 }, (_, index) => `m${index}`);
  await makeBranches(work, names);
  for (let start = 0; start < names.length; start += 1000) {
    await git(work, 'push', '-q', 'origin', ...names.slice(start, start + 1000));
  }
  for (let start = 0; start < names.length; start += 16) {
    await Promise.all(
      names
        .slice(start, start + 16)
        .map((head) => api('POST', '/pulls', { title: head, head, base: 'main' })),
    );
    if (start % 1600 === 0) progress(`storing pulls: ${start} of ${names.length}`);
  }
  const many = await load('GET', '/pulls/1');
  table.add(
    'GET one pull, 10,000 stored against 100',
    many.cpuMicroseconds / few.cpuMicroseconds,
    'times the CPU',
    'at most 1.2',
  );
}

/** From a pushed head to a known mergeability, as a client sees it. */
async function measureTestMerge(table: Table): Promise<void> {
  progress('test merges');
  const work = join(folder, 'work');
  const names = Array.from({ length: 20 }, (_, index) => `t${index}`);
  await makeBranches(work, names);
  await git(work, 'push', '-q', 'origin', ...names);
  const times: number[] = [];
  for (const head of names) {
    const { number } = await api('POST', '/pulls', { title: head, head, base: 'main' });
    const started = performance.now();
    while ((await api('GET', `/pulls/${number}`)).mergeable === null);
    times.push(performance.now() - started);
  }
  times.sort((one, other) => one - other);
  table.add('test merge, from creation to a verdict', times[10] ?? 0, 'ms (median of 20)', '');
}

/** Against git's own transport over the file system, three times each in turn. */
async function measureGit(table: Table): Promise<void> {
  progress('a large repository');
  const big = join(folder, 'big');
  await git(folder, 'init', '-q', '-b', 'main', big);
  await generateHistory(big, { commits: 20_000, files: 5000 });
  await git(big, 'repack', '-adq');
  await api('POST', '/user/repos', { name: 'big' });
  const push = await timed(() => git(big, 'push', '-q', remote('big'), 'main'));
  await git(folder, 'init', '-q', '--bare', 'target.git');
  const filePush = await timed(() =>
    git(big, 'push', '-q', `file://${join(folder, 'target.git')}`, 'main'),
  );
  const http: number[] = [];
  const file: number[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    http.push(
      await timed(() => git(folder, 'clone', '-q', '--bare', remote('big'), `h${turn}.git`)),
    );
    file.push(
      await timed(() => git(folder, 'clone', '-q', '--bare', `file://${big}`, `f${turn}.git`)),
    );
  }
  table.add(
    'clone of 20,000 commits against file://',
    Math.min(...file) / Math.min(...http),
    'of its speed',
    'at least 0.9',
  );
  table.add(
    'push of 20,000 commits against file://',
    filePush / push,
    'of its speed (and durable)',
    '',
  );
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text} …`);
}
