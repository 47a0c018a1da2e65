import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** A server that both kinds of clients ask. */
export interface SlowClientsTarget {
  readonly url: string;
  readonly login: string;
  readonly token: string;
}

export interface SlowClientsOptions {
  /** Clients that are slow: heads and bodies that arrive slowly, responses that are not read. */
  readonly slow: number;
  /** Clients that are not; each asks ten times a second. */
  readonly good: number;
  /** Of each measurement. */
  readonly milliseconds: number;
  /** Good clients are measured alternately alone and with the others, so that both meet what else the machine does. */
  readonly rounds: number;
}

export interface Latency {
  readonly responses: number;
  readonly failures: number;
  readonly p50Milliseconds: number;
  readonly p99Milliseconds: number;
}

export interface SlowClientsReport {
  readonly alone: Latency;
  readonly withSlow: Latency;
  /** Of the slow ones that were there at the same time, the most. */
  readonly slowAtOnce: number;
  /** How often the server ended a connection of each kind; each came back at once. */
  readonly ended: Readonly<Record<string, number>>;
}

/** Measures good clients alone, and with clients that hold as much of the server as it allows, for a bounded time. */
export async function measureSlowClients(
  target: SlowClientsTarget,
  { slow, good, milliseconds, rounds }: SlowClientsOptions,
): Promise<SlowClientsReport> {
  const work = await prepare(target);
  // Caches fill before anything is measured.
  await askGoodClients(target, work, good, milliseconds / 4);
  const alone: Measured = { times: [], failures: 0 };
  const withSlow: Measured = { times: [], failures: 0 };
  const slowClients = new SlowClients(target, work, slow);
  for (let round = 0; round < rounds; round += 1) {
    add(alone, await askGoodClients(target, work, good, milliseconds));
    slowClients.begin();
    try {
      await slowClients.allThere();
      add(withSlow, await askGoodClients(target, work, good, milliseconds));
    } finally {
      slowClients.end();
    }
  }
  const { atOnce, ended } = slowClients;
  return { alone: latencyOf(alone), withSlow: latencyOf(withSlow), slowAtOnce: atOnce, ended };
}

interface Measured {
  readonly times: number[];
  failures: number;
}

function add(sum: Measured, { times, failures }: Measured): void {
  sum.times.push(...times);
  sum.failures += failures;
}

function latencyOf({ times, failures }: Measured): Latency {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  const [p50Milliseconds, p99Milliseconds] = [at(0.5), at(0.99)];
  return { responses: sorted.length, failures, p50Milliseconds, p99Milliseconds };
}

interface Work {
  readonly repository: string;
  readonly sha: string;
  /** The path of several megabytes, more than the kernel buffers, in a repository without writes: the response is cached. */
  readonly largeBlob: string;
}

const largeBytes = 7 * 2 ** 20;

async function prepare(target: SlowClientsTarget): Promise<Work> {
  const serial = performance.now().toFixed();
  const repository = `${target.login}/slow-${serial}`;
  const api = async (method: string, path: string, body: object): Promise<any> => {
    const response = await fetch(`${target.url}/api/v3${path}`, {
      method,
      headers: { authorization: `token ${target.token}`, 'user-agent': 'slow-clients' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}.`);
    return response.json();
  };
  await api('POST', '/user/repos', { name: `slow-${serial}` });
  const { commit } = await api('PUT', `/repos/${repository}/contents/a.txt`, {
    message: 'Add a file',
    content: Buffer.from('a\n').toString('base64'),
  });
  await api('POST', '/user/repos', { name: `large-${serial}`, auto_init: true });
  const blob = await api('POST', `/repos/${target.login}/large-${serial}/git/blobs`, {
    encoding: 'utf-8',
    content: 'a line of text\n'.repeat(largeBytes / 15),
  });
  const largeBlob = `/api/v3/repos/${target.login}/large-${serial}/git/blobs/${blob.sha}`;
  const work = { repository, sha: commit.sha, largeBlob };
  await readWhole(target, beginningOf('reader', target, work));
  return work;
}

/** The same request as that of slow clients, so that theirs is the cached response. */
async function readWhole({ url }: SlowClientsTarget, bytes: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(bytes);
  let received = 0;
  for await (const chunk of socket) if ((received += chunk.length) > largeBytes) break;
}

/** Ten requests a second each. */
const pauseMilliseconds = 100;

/** Repositories and pages are read, statuses written. */
async function askGoodClients(
  { url, token }: SlowClientsTarget,
  { repository, sha }: Work,
  count: number,
  milliseconds: number,
): Promise<Measured> {
  const agent = new Agent({ keepAlive: true, maxSockets: count });
  const times: number[] = [];
  let failures = 0;
  const until = performance.now() + milliseconds;
  const ask = (round: number): Promise<number> => {
    const headers = { authorization: `token ${token}`, 'user-agent': 'good' };
    if (round % 10 === 0) {
      const address = `${url}/api/v3/repos/${repository}/statuses/${sha}`;
      // A commit takes 1,000 statuses of one context.
      return answered(agent, address, headers, `{"state":"success","context":"check ${round}"}`);
    }
    const path = round % 10 === 5 ? `/${repository}` : `/api/v3/repos/${repository}`;
    return answered(agent, `${url}${path}`, headers);
  };
  await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      // Not all in the same millisecond.
      await delay((index * pauseMilliseconds) / count);
      for (let round = index; performance.now() < until; round += 1) {
        const began = performance.now();
        const status = await ask(round).catch(() => 0);
        const took = performance.now() - began;
        if (status >= 200 && status < 300) times.push(took);
        else failures += 1;
        await delay(Math.max(0, pauseMilliseconds - took));
      }
    }),
  );
  agent.destroy();
  return { times, failures };
}

function answered(
  agent: Agent,
  url: string,
  headers: Record<string, string>,
  body?: string,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, headers, method: body === undefined ? 'GET' : 'POST' });
    sent.on('response', (response) => {
      response.on('error', reject);
      response.on('end', () => resolve(response.statusCode ?? 0));
      response.resume();
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

type Kind = 'silent' | 'head' | 'form' | 'body' | 'push' | 'unread' | 'reader';
const kinds: readonly Kind[] = ['silent', 'head', 'form', 'body', 'push', 'unread', 'reader'];

/** Each opens a connection again as soon as it is ended. */
class SlowClients {
  readonly ended: Record<string, number> = {};
  atOnce = 0;
  readonly #target: SlowClientsTarget;
  readonly #work: Work;
  readonly #count: number;
  readonly #open = new Map<Socket, Kind>();
  /** Those whose response has started, and waits for them. */
  readonly #answered = new Set<Socket>();
  #timer: NodeJS.Timeout | undefined;
  #over = true;

  constructor(target: SlowClientsTarget, work: Work, count: number) {
    this.#target = target;
    this.#work = work;
    this.#count = count;
  }

  begin(): void {
    this.#over = false;
    for (let index = 0; index < this.#count; index += 1) {
      this.#start(kinds[index % kinds.length] ?? 'silent');
    }
    this.#timer = setInterval(() => this.#trickle(), 1000);
  }

  /** All are connected, and the large responses have been made. */
  async allThere(): Promise<void> {
    const readers = Math.floor((this.#count / kinds.length) * 2);
    const isThere = (): boolean =>
      this.#open.size === this.#count && this.#answered.size >= readers;
    for (let round = 0; !isThere() && round < 600; round += 1) await delay(50);
    if (isThere()) return;
    throw new Error(`After 30 s: ${this.#open.size} connected, ${this.#answered.size} reading.`);
  }

  end(): void {
    this.#over = true;
    clearInterval(this.#timer);
    for (const socket of this.#open.keys()) socket.destroy();
    this.#open.clear();
  }

  #start(kind: Kind): void {
    const { hostname, port } = new URL(this.#target.url);
    const socket = connect(Number(port), hostname, () => {
      this.#open.set(socket, kind);
      this.atOnce = Math.max(this.atOnce, this.#open.size);
      socket.write(beginningOf(kind, this.#target, this.#work));
      // As much as fits into the window comes, and no more is read.
      if (kind !== 'unread' && kind !== 'reader') socket.resume();
      else socket.once('readable', () => this.#answered.add(socket));
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#answered.delete(socket);
      if (this.#open.delete(socket) && !this.#over) this.ended[kind] = (this.ended[kind] ?? 0) + 1;
      if (!this.#over) setTimeout(() => this.#over || this.#start(kind), 100);
    });
  }

  /** A byte a second of what is sent, and a kilobyte of what is read. */
  #trickle(): void {
    for (const [socket, kind] of this.#open) {
      switch (kind) {
        case 'silent':
          break;
        case 'unread':
          // Nothing that is a request: a client that does not read learns of an end by writing only.
          if (socket.writable) socket.write('\r\n');
          break;
        case 'reader':
          socket.read(1024);
          break;
        case 'push':
          if (socket.writable) socket.write('1\r\n0\r\n');
          break;
        case 'head':
        case 'form':
        case 'body':
          if (socket.writable) socket.write('x');
      }
    }
  }
}

function beginningOf(
  kind: Kind,
  { url, token, login }: SlowClientsTarget,
  { repository, largeBlob }: Work,
): string {
  const { host } = new URL(url);
  const usual = `Host: ${host}\r\nUser-Agent: slow\r\n`;
  const credentials = `Authorization: Basic ${Buffer.from(`${login}:${token}`).toString('base64')}\r\n`;
  switch (kind) {
    case 'silent':
      return '';
    case 'head':
      return `GET / HTTP/1.1\r\n${usual}X-Slow: `;
    case 'form':
      return `POST /session HTTP/1.1\r\n${usual}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 60000\r\n\r\n`;
    case 'body':
      return `POST /api/v3/repos/${repository}/issues HTTP/1.1\r\n${usual}${credentials}Content-Length: 1000000\r\n\r\n`;
    case 'push':
      return `POST /${repository}.git/git-receive-pack HTTP/1.1\r\n${usual}${credentials}Content-Type: application/x-git-receive-pack-request\r\nTransfer-Encoding: chunked\r\n\r\n`;
    case 'unread':
    case 'reader':
      return `GET ${largeBlob} HTTP/1.1\r\n${usual}${credentials}Accept: application/vnd.github.raw\r\n\r\n`;
  }
}
