import { setTimeout as delay } from 'node:timers/promises';

import { type LoadReport, repeat } from '../scenarios/load.ts';
import { Client } from './client.ts';
import { ForgeClients, type Round } from './forge-clients.ts';
import { FunctionClients } from './function-clients.ts';
import { type HookReceiver, startHookReceiver } from './hook-receiver.ts';
import type { Installation } from './installation.ts';
import { acknowledgedIn, createJournal, type Journal } from './journal.ts';
import { observe } from './observe.ts';
import type { Observed } from './observed.ts';
import { probe } from './probes.ts';

/** After each round of a client: eight of them, the probes, the nodes and the database share the processors of one machine. */
const pauseMilliseconds = 20;

interface WorkloadOptions {
  /** Statuses of responses that a fault explains. */
  readonly excused?: readonly number[];
  /** Of the names of its repository and functions, where an installation has several. */
  readonly suffix?: string;
}

/** Eight clients that write to one installation, and the journal of what was acknowledged. */
export class Workload {
  readonly journal: Journal = createJournal();
  readonly client: Client;
  readonly #installation: Installation;
  readonly #hooks: HookReceiver;
  readonly #forge: ForgeClients;
  readonly #functions: FunctionClients;

  private constructor(
    installation: Installation,
    { excused = [], suffix = '' }: WorkloadOptions,
    hooks: HookReceiver,
  ) {
    this.#installation = installation;
    this.#hooks = hooks;
    const { url, firstNode } = installation;
    const { login, token } = firstNode.server;
    this.client = new Client({ url, login, token, journal: this.journal, excused });
    this.#forge = new ForgeClients(this.client, `work${suffix}`, installation.folder);
    this.#functions = new FunctionClients(this.client, suffix);
  }

  static async prepare(
    installation: Installation,
    options: WorkloadOptions = {},
  ): Promise<Workload> {
    const workload = new Workload(installation, options, await startHookReceiver());
    try {
      await workload.#forge.prepare(workload.#hooks.url);
      await workload.#functions.prepare();
      return workload;
    } catch (error) {
      workload.close();
      throw error;
    }
  }

  get repository(): string {
    return this.#forge.repository;
  }

  rounds(): readonly Round[] {
    return [...this.#forge.rounds(), ...this.#functions.rounds()];
  }

  /** All clients and the probes work while `work` goes on. */
  async underLoad<T>(work: () => Promise<T>): Promise<T> {
    const ending = new AbortController();
    const report: LoadReport = { ...this.journal, acknowledged: 0 };
    const loads = this.rounds().map(({ work: round }) =>
      repeat(ending.signal, report, async (number) => {
        await round(number);
        await delay(pauseMilliseconds);
      }),
    );
    const { repository } = this;
    const { probed: functionName } = this.#functions;
    const probes = probe(this.client, { repository, functionName }, ending.signal);
    try {
      return await work();
    } finally {
      ending.abort();
      await Promise.all([...loads, probes]);
    }
  }

  /** Waits for a number of further acknowledgements. */
  async acknowledge(count: number, seconds = 60): Promise<void> {
    const enough = acknowledgedIn(this.journal) + count;
    const patient = performance.now() + seconds * 1000;
    while (acknowledgedIn(this.journal) < enough) {
      if (performance.now() > patient) {
        throw new Error(`Fewer than ${count} writes were acknowledged in ${seconds} s.`);
      }
      await delay(20);
    }
  }

  observe(): Promise<Observed> {
    return observe({
      installation: this.#installation,
      client: this.client,
      repository: this.repository,
      hooks: this.#hooks,
      journal: this.journal,
    });
  }

  close(): void {
    this.client.close();
    this.#hooks.close();
  }
}
