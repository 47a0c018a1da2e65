import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { AccessKeyPair } from '#functions/access-keys/administer-access-keys.ts';
import { serviceKeyPaths } from '#functions/keys/service-key.ts';
import { logsName } from '#functions/persistent-parts.ts';
import { OperatorError } from '#platform/operator-error.ts';

import type { Signer } from '../../../cli/signing/sign.ts';
import { type Services, type ServicesOptions, startServices } from '../start-services.ts';
import { clockControls, representClock } from './clock-controls.ts';
import { type Control, control, ControlRefusal, done } from './control-request.ts';
import { faultControls } from './fault-controls.ts';
import { GitFence } from './git-fence.ts';
import { holdControls } from './hold-controls.ts';
import { plantFunctions, plantSeed } from './plant-seed.ts';
import { SeedClient } from './seed-client.ts';
import { readSeed, type Seed } from './seed-input.ts';
import { recordControls } from './record-controls.ts';
import { Recorder } from './recorder.ts';
import { RequestFaults } from './request-faults.ts';
import { refuseUnlessRunning, PausableHandler } from './pausable-handler.ts';
import { snapshotControls } from './snapshot-controls.ts';
import { Snapshots } from './snapshots.ts';
import { TestClock } from './test-clock.ts';
import { createTestControls, type TestControls } from './test-controls.ts';
import { TestHolds } from './test-holds.ts';

type Options = Omit<ServicesOptions, 'clock' | 'middleware' | 'retainsCode' | 'testHolds'>;

/** Both services, on a server whose state, clock and failures are in the hands of tests. */
export async function startControlledServices(options: Options): Promise<Services> {
  const controlled = new ControlledServices(options, await openSnapshots(options));
  try {
    await controlled.begin(await seedOf(options.settings.seed));
  } catch (error) {
    await controlled.stop();
    if (error instanceof ControlRefusal) throw new OperatorError(error.message, { cause: error });
    throw error;
  }
  return { ...controlled.current, close: () => controlled.stop() };
}

async function seedOf(file: string | undefined): Promise<Seed | undefined> {
  if (file === undefined) return undefined;
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new OperatorError(`The seed ${file} cannot be read.`, { cause });
  });
  return readSeed(text);
}

function openSnapshots({ data, processes, settings }: Options): Promise<Snapshots> {
  const { folder } = processes.functions.start;
  const isSqlite = !/^postgres(?:ql)?:/.test(settings.database ?? '');
  return Snapshots.open({
    folder: join(data.path, 'test-snapshots'),
    databaseFile: isSqlite
      ? (settings.database?.replace(/^sqlite:/, '') ?? data.databaseFile)
      : undefined,
    serviceKeyFile: serviceKeyPaths(folder).current,
    repositoriesFolder: data.repositoriesFolder,
    logsFolder: join(folder, logsName),
  });
}

/** The services between two restores. */
interface Generation {
  readonly services: Services;
  readonly fence: GitFence;
}

/** The services, which a reset or a restore replaces, and what stays: the clock, the handler and the controls. */
class ControlledServices {
  readonly #options: Options;
  readonly #snapshots: Snapshots;
  readonly #clock = new TestClock();
  readonly #handler = new PausableHandler();
  readonly #holds = new TestHolds();
  readonly #faults: RequestFaults;
  readonly #recorder = new Recorder(this.#clock);
  readonly #controls: TestControls;
  #running: Generation | undefined;
  /** Where the operator has chosen none. */
  #seedKey: AccessKeyPair | undefined;

  constructor(options: Options, snapshots: Snapshots) {
    this.#options = options;
    this.#snapshots = snapshots;
    this.#faults = new RequestFaults(this.#clock, options.settings.baseUrl);
    this.#controls = createTestControls({
      clock: this.#clock,
      log: options.log,
      controls: this.#allControls(),
      database: async () => {
        await this.#handler.resumed();
        return this.current.ports.database;
      },
    });
  }

  get current(): Services {
    return this.#generation.services;
  }

  get #generation(): Generation {
    if (this.#running) return this.#running;
    throw new Error('The services could not be started again: see the log.');
  }

  async begin(seed: Seed | undefined): Promise<void> {
    await this.#handler.pausedDuring('waited for', async () => {
      await this.#start();
      if (seed !== undefined) await this.#plantWhole(seed);
      if (this.#snapshots.areSupported) await this.#take(atStart);
    });
  }

  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    await running?.services.close();
  }

  async #start(): Promise<void> {
    const { processes } = this.#options;
    const fence = new GitFence(processes.git.git);
    const fenced = { ...processes, git: { ...processes.git, git: fence.git } };
    const services = await startServices({
      ...this.#options,
      processes: fenced,
      clock: this.#clock,
      testHolds: this.#holds,
      retainsCode: true,
      middleware: (next) => {
        this.#handler.setHandler(next);
        const failing = this.#faults.wrap(this.#handler.handle);
        return this.#controls.wrap(this.#recorder.wrap(failing));
      },
    });
    this.#running = { services, fence };
  }

  #allControls(): Record<string, Control> {
    const { baseUrl } = this.#options.settings;
    return {
      'GET ': control({}, () => ({
        status: 200,
        body: {
          clock: representClock(this.#clock),
          snapshots: this.#snapshots.names,
          held: this.#holds.held,
          faults: this.#faults.pending,
        },
      })),
      ...clockControls(this.#clock, (forward) => this.current.clockSet(forward)),
      ...faultControls(this.#faults),
      ...holdControls(this.#holds, () => this.current.ports.database),
      ...recordControls(this.#recorder, baseUrl),
      'POST seed': async (body) => {
        const seed = await readSeed(body.toString());
        await this.#handler.pausedDuring('waited for', () => this.#plantWhole(seed));
        return done;
      },
      ...snapshotControls({
        names: () => this.#snapshots.names,
        take: (name) => this.#handler.pausedDuring('waited for', () => this.#take(name)),
        restore: (name) => this.#handler.pausedDuring('broken off', () => this.#restore(name)),
        reset: () => this.#handler.pausedDuring('broken off', () => this.#reset()),
      }),
    };
  }

  /** All of a seed, or nothing of it. Without snapshots, what it had made before it was refused stays. */
  async #plantWhole(seed: Seed): Promise<void> {
    if (!this.#snapshots.areSupported) return this.#plant(seed);
    await this.#take(beforeSeed);
    try {
      await this.#plant(seed);
    } catch (error) {
      await this.#restore(beforeSeed);
      throw error;
    }
  }

  /** At the time of the seed, so that dates and commits are the same in every run; each step comes a little later. */
  async #plant(seed: Seed): Promise<void> {
    const time = Date.parse(seed.clock ?? seedTime);
    if (Number.isNaN(time)) throw new ControlRefusal(422, 'The clock of the seed is not a time.');
    let step = (): void => this.#clock.advance(seedStepMilliseconds);
    const services = { ...this.current, accessKey: () => this.#accessKey() };
    const client = new SeedClient(services, () => step());
    try {
      await this.#clock.stoppedDuring(time, () => plantSeed(client, seed, () => this.#clock.now()));
      step = () => {};
      await plantFunctions(client, seed);
    } finally {
      await client.close();
    }
  }

  async #accessKey(): Promise<Signer> {
    const { accessKeyId, secretAccessKey, region } = this.#options.settings;
    if (accessKeyId !== undefined && secretAccessKey !== undefined) {
      return { accessKeyId, secretAccessKey, region };
    }
    this.#seedKey ??= await this.current.functions.accessKeys.createForAdministrator();
    return { ...this.#seedKey, region };
  }

  async #take(name: string): Promise<void> {
    await this.current.quiet();
    await this.#generation.fence.pausedDuring(() => this.#snapshots.take(name));
  }

  async #reset(): Promise<void> {
    this.#snapshots.require(atStart);
    this.#clock.release();
    this.#faults.clear();
    this.#holds.clear();
    await this.#restore(atStart);
  }

  async #restore(name: string): Promise<void> {
    this.#seedKey = undefined;
    this.#snapshots.require(name);
    const { git } = this.#options.processes.git;
    const { fence } = this.#generation;
    // Work of a handler that runs in git ends before anything is replaced; work that it starts later is refused.
    await fence.close();
    this.#holds.forgetWaiting();
    this.#handler.setHandler(refuseUnlessRunning);
    await this.stop();
    const restored = await this.#snapshots.restore(name, git).catch(async (error: unknown) => {
      await this.#start();
      throw error;
    });
    await this.#start().catch(async (error: unknown) => {
      await restored.undo();
      await this.#start();
      throw error;
    });
  }
}

const seedTime = '2026-01-01T00:00:00Z';
/**
 * Time by which a seed sets the clock ahead for each of its requests. The limits of requests, which count by the clock, let a
 * seed of any size pass.
 */
const seedStepMilliseconds = 10_000;

/** No names that a test may choose. */
const atStart = '.start';
const beforeSeed = '.before-seed';
