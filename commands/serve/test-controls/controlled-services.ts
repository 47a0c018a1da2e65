import { join } from 'node:path';

import { startServices, type Services, type ServicesOptions } from '../start-services.ts';
import { clockControls, representClock } from './clock-controls.ts';
import { control } from './control-request.ts';
import { refuse, RequestGate } from './request-gate.ts';
import { snapshotControls } from './snapshot-controls.ts';
import { Snapshots } from './snapshots.ts';
import { TestClock } from './test-clock.ts';
import { createTestControls } from './test-controls.ts';

/** Both services, on a server whose state, clock and failures are in the hands of tests. */
export async function startControlledServices(
  options: Omit<ServicesOptions, 'clock' | 'around' | 'retainsCode'>,
): Promise<Services> {
  const { data, log, processes, settings } = options;
  const clock = new TestClock();
  const gate = new RequestGate();
  const isSqlite = !/^postgres(?:ql)?:/.test(settings.database ?? '');
  const snapshots = await Snapshots.open({
    folder: join(data.path, 'test-snapshots'),
    databaseFile: isSqlite
      ? (settings.database?.replace(/^sqlite:/, '') ?? data.databaseFile)
      : undefined,
    repositoriesFolder: data.repositoriesFolder,
    logsFolder: processes.functions.logsFolder,
  });

  let services: Services | undefined;
  const current = (): Services => {
    if (!services) throw new Error('The services could not be started again: see the log.');
    return services;
  };

  const controls = createTestControls({
    log,
    async database() {
      await gate.opened();
      return current().ports.database;
    },
    controls: {
      'GET ': control({}, () => ({
        status: 200,
        body: { clock: representClock(clock), snapshots: takenNames() },
      })),
      ...clockControls(clock, (forward) => current().clockSet(forward)),
      ...snapshotControls({
        get names() {
          return takenNames();
        },
        take: (name) => gate.closedDuring(() => take(name)),
        restore: (name) => gate.closedDuring(() => restore(name)),
      }),
    },
  });

  const takenNames = (): readonly string[] => snapshots.names.filter((name) => name !== atStart);

  async function start(): Promise<void> {
    services = await startServices({
      ...options,
      clock,
      retainsCode: true,
      around(next) {
        gate.to(next);
        return controls.around(gate.handle);
      },
    });
  }

  async function stop(): Promise<void> {
    const stopping = services;
    services = undefined;
    await stopping?.close();
  }

  async function take(name: string): Promise<void> {
    await current().quiet();
    await snapshots.take(name);
  }

  async function restore(name: string | undefined): Promise<void> {
    snapshots.require(name ?? atStart);
    if (name === undefined) clock.release();
    gate.to(refuse);
    await stop();
    await snapshots.restore(name ?? atStart, (await processes.git).git);
    await start();
  }

  await gate.closedDuring(async () => {
    await start();
    if (isSqlite) await take(atStart);
  });
  return { ...current(), close: stop };
}

/** No name that a test may choose. */
const atStart = '.start';
