import { randomInt } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { ForgeLoad } from '../scenarios/forge-load.ts';
import { FunctionsLoad } from '../scenarios/functions-load.ts';
import { invokeBy } from '../scenarios/function-service.ts';
import {
  type RunningServer,
  type ServerOptions,
  startServer,
} from '../scenarios/running-server.ts';
import type { FaultLog } from './fault.ts';

export interface ServerUnderTestOptions {
  /** Where the data folder is to be; by default in the folder of the run. */
  readonly disk?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly nodeFlags?: readonly string[];
  /** Statuses that the fault excuses. */
  readonly excused?: readonly number[];
}

/** A whole server under load, at one address however often it is started. */
export class ServerUnderTest {
  readonly folder: string;
  readonly data: string;
  readonly forge: ForgeLoad;
  readonly functions: FunctionsLoad;
  readonly #options: ServerOptions;
  #server: RunningServer | undefined;

  private constructor(
    folder: string,
    data: string,
    port: number,
    options: ServerUnderTestOptions,
    environment: Record<string, string>,
  ) {
    this.folder = folder;
    this.data = data;
    const { excused = [], nodeFlags = [] } = options;
    this.#options = {
      port,
      nodeFlags,
      environment: { ...environment, HOB_RATE_LIMIT_USER: '1000000000', ...options.environment },
    };
    const clones = join(folder, 'clones');
    this.forge = new ForgeLoad({ target: () => this.server, folder: clones, excused });
    this.functions = new FunctionsLoad({ url: `http://127.0.0.1:${port}`, folder, excused });
  }

  static async start(options: ServerUnderTestOptions = {}): Promise<ServerUnderTest> {
    const folder = await mkdtemp(join(tmpdir(), 'hob-faults-'));
    const data = join(options.disk ?? folder, 'data');
    await mkdir(join(folder, 'clones'));
    const environment = await FunctionsLoad.environment(folder);
    const tested = new ServerUnderTest(folder, data, await freePort(), options, environment);
    await tested.startServer();
    await tested.forge.prepare();
    return tested;
  }

  get server(): RunningServer {
    if (!this.#server) throw new Error('The server was never started.');
    return this.#server;
  }

  /** Starts the server, again at the same address. */
  async startServer(): Promise<void> {
    this.#server = await startServer(this.data, this.#options);
  }

  /** Both loads work while `work` goes on. */
  async underLoad<T>(work: () => Promise<T>): Promise<T> {
    const ending = new AbortController();
    const loads = [this.forge.run(ending.signal), this.functions.run(ending.signal)];
    try {
      return await work();
    } finally {
      ending.abort();
      await Promise.all(loads);
    }
  }

  /** Waits for a number of further acknowledgements. */
  async acknowledge(count: number, seconds = 60): Promise<void> {
    const enough = this.acknowledged + count;
    const patient = performance.now() + seconds * 1000;
    while (this.acknowledged < enough) {
      if (performance.now() > patient) {
        throw new Error(`Fewer than ${count} writes were acknowledged in ${seconds} s.`);
      }
      await delay(5);
    }
  }

  get acknowledged(): number {
    return this.forge.report.acknowledged + this.functions.report.acknowledged;
  }

  async losses(): Promise<string[]> {
    return [...(await this.forge.losses()), ...(await this.functions.losses())];
  }

  /** Milliseconds until the forge answers, reading and writing. */
  async untilForgeAnswers(): Promise<number> {
    return elapsed(async () => {
      const { login } = this.server;
      const { status } = await this.forge.api('PATCH', `/repos/${login}/work`, { has_wiki: true });
      return status === 200;
    });
  }

  /** Milliseconds until a function that was there before answers. */
  async untilFunctionsAnswer(): Promise<number> {
    const name = [...this.functions.acknowledged.created][0];
    if (name === undefined) throw new Error('No function was made yet.');
    return elapsed(async () => {
      const { error } = await invokeBy(this.functions.client, name);
      return error === undefined;
    });
  }

  /** Puts what the loads have seen into the log. */
  conclude(log: FaultLog): void {
    log.acknowledged = this.acknowledged;
    for (const { refused, unexpected } of [this.forge.report, this.functions.report]) {
      log.unexpected.push(...unexpected);
      for (const [reason, count] of refused)
        log.refused[reason] = (log.refused[reason] ?? 0) + count;
    }
  }

  async remove(): Promise<void> {
    this.functions.close();
    await this.#server?.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Milliseconds until something is so; every try that fails is followed by another. */
export async function elapsed(isSo: () => Promise<boolean>, seconds = 60): Promise<number> {
  const started = performance.now();
  for (;;) {
    if (await isSo().catch(() => false)) return performance.now() - started;
    if (performance.now() - started > seconds * 1000) return Number.POSITIVE_INFINITY;
    await delay(20);
  }
}

/** Below those that the kernel chooses for others: while the server is away, no other program of the host is at its address. */
export async function freePort(): Promise<number> {
  const range = await readFile('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').catch(() => '');
  const end = Math.max(Number.parseInt(range, 10) || 32_768, portMin + 1000);
  for (;;) {
    const port = randomInt(portMin, end);
    if (await isFree(port)) return port;
  }
}

const portMin = 10_000;

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
