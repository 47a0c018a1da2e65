import { join } from 'node:path';

import { type Services, type ServicesOptions, startServices } from '../start-services.ts';
import { clockControls, representClock } from './clock-controls.ts';
import { type Control, control } from './control-request.ts';
import { faultControls } from './fault-controls.ts';
import { holdControls } from './hold-controls.ts';
import { recordControls } from './record-controls.ts';
import { Recorder } from './recorder.ts';
import { RequestFaults } from './request-faults.ts';
import { refuse, RequestGate } from './request-gate.ts';
import { snapshotControls } from './snapshot-controls.ts';
import { Snapshots } from './snapshots.ts';
import { TestClock } from './test-clock.ts';
import { createTestControls, type TestControls } from './test-controls.ts';
import { TestHolds } from './test-holds.ts';

type Options = Omit<ServicesOptions, 'clock' | 'around' | 'retainsCode' | 'holds'>;

/** Both services, on a server whose state, clock and failures are in the hands of tests. */
export async function startControlledServices(options: Options): Promise<Services> {
  const controlled = new ControlledServices(options, await openSnapshots(options));
  await controlled.begin();
  return { ...controlled.current, close: () => controlled.stop() };
}

function openSnapshots({ data, processes, settings }: Options): Promise<Snapshots> {
  const isSqlite = !/^postgres(?:ql)?:/.test(settings.database ?? '');
  return Snapshots.open({
    folder: join(data.path, 'test-snapshots'),
    databaseFile: isSqlite
      ? (settings.database?.replace(/^sqlite:/, '') ?? data.databaseFile)
      : undefined,
    repositoriesFolder: data.repositoriesFolder,
    logsFolder: processes.functions.logsFolder,
  });
}

/** The services, which a reset or a restore replaces, and what stays: the clock, the gate and the controls. */
class ControlledServices {
  readonly #options: Options;
  readonly #snapshots: Snapshots;
  readonly #clock = new TestClock();
  readonly #gate = new RequestGate();
  readonly #holds = new TestHolds();
  readonly #faults: RequestFaults;
  readonly #recorder = new Recorder(this.#clock);
  readonly #controls: TestControls;
  #services: Services | undefined;

  constructor(options: Options, snapshots: Snapshots) {
    this.#options = options;
    this.#snapshots = snapshots;
    this.#faults = new RequestFaults(this.#clock, options.settings.baseUrl);
    this.#controls = createTestControls({
      log: options.log,
      controls: this.#allControls(),
      database: async () => {
        await this.#gate.opened();
        return this.current.ports.database;
      },
    });
  }

  get current(): Services {
    if (this.#services) return this.#services;
    throw new Error('The services could not be started again: see the log.');
  }

  async begin(): Promise<void> {
    await this.#gate.closedDuring(async () => {
      await this.#start();
      if (this.#snapshots.areSupported) await this.#take(atStart);
    });
  }

  async stop(): Promise<void> {
    const services = this.#services;
    this.#services = undefined;
    await services?.close();
  }

  async #start(): Promise<void> {
    this.#services = await startServices({
      ...this.#options,
      clock: this.#clock,
      holds: this.#holds,
      retainsCode: true,
      around: (next) => {
        this.#gate.to(next);
        const failing = this.#faults.around(this.#gate.handle);
        return this.#controls.around(this.#recorder.around(failing));
      },
    });
  }

  #allControls(): Record<string, Control> {
    const { baseUrl } = this.#options.settings;
    const names = (): string[] => this.#snapshots.names.filter((name) => name !== atStart);
    return {
      'GET ': control({}, () => ({
        status: 200,
        body: {
          clock: representClock(this.#clock),
          snapshots: names(),
          held: this.#holds.held,
          faults: this.#faults.pending,
        },
      })),
      ...clockControls(this.#clock, (forward) => this.current.clockSet(forward)),
      ...faultControls(this.#faults),
      ...holdControls(this.#holds, () => this.current.ports.database),
      ...recordControls(this.#recorder, baseUrl),
      ...snapshotControls({
        names,
        take: (name) => this.#gate.closedDuring(() => this.#take(name)),
        restore: (name) => this.#gate.closedDuring(() => this.#restore(name)),
        reset: () => this.#gate.closedDuring(() => this.#reset()),
      }),
    };
  }

  async #take(name: string): Promise<void> {
    await this.current.quiet();
    await this.#snapshots.take(name);
  }

  async #reset(): Promise<void> {
    this.#snapshots.require(atStart);
    this.#clock.release();
    this.#faults.clear();
    this.#holds.clear();
    await this.#restore(atStart);
  }

  async #restore(name: string): Promise<void> {
    this.#snapshots.require(name);
    this.#holds.forgetWaiting();
    this.#gate.to(refuse);
    await this.stop();
    await this.#snapshots.restore(name, (await this.#options.processes.git).git);
    await this.#start();
  }
}

/** No name that a test may choose. */
const atStart = '.start';
