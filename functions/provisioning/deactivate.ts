import type { BackgroundWork } from '#platform/background.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/database/database.ts';
import type { Random } from '#platform/random.ts';

import { idle, restoring, type FunctionVersion } from '../configuration/function-record.ts';
import {
  findVersionById,
  compareAndReplaceVersionState,
  type VersionState,
} from '../configuration/function-store.ts';
import type { EnvironmentPool } from '../environments/pool/environment-pool.ts';
import type { Inactivity } from '../invocation/targets.ts';
import type { HomeNodes } from '../ports/home-nodes.ts';
import { listUnused, noteUse } from './provisioning-store.ts';
import { activateVersion } from './activate.ts';
import { findServedVersion } from './provision.ts';

export interface DeactivationPorts {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly background: BackgroundWork;
  readonly environments: EnvironmentPool;
  readonly homes: HomeNodes;
}

export interface InactivityReaper extends Inactivity {
  /** Looks for unused functions at an interval. */
  start(): void;
  /** Deactivates every version that has been unused for long enough, and closes what stands for snapshots of versions that are gone. */
  sweep(): Promise<void>;
  /** Stores the recorded uses for the next start. */
  close(): Promise<void>;
}

/** Functions that are not invoked for some time release their resources, and are Inactive until the next invocation. */
export function createInactivityReaper(
  ports: DeactivationPorts,
  inactiveMilliseconds: number,
): InactivityReaper {
  return new IdleReaper(ports, inactiveMilliseconds);
}

class IdleReaper implements InactivityReaper {
  readonly #ports: DeactivationPorts;
  readonly #inactiveMilliseconds: number;
  /** Uses that are not stored yet: a write for each invocation would cost more than the invocation. */
  #uses = new Map<number, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(ports: DeactivationPorts, inactiveMilliseconds: number) {
    this.#ports = ports;
    this.#inactiveMilliseconds = inactiveMilliseconds;
  }

  start(): void {
    const between = Math.min(this.#inactiveMilliseconds / 4, sweepMillisecondsMax);
    const { background } = this.#ports;
    this.#timer = setInterval(
      () => background.run('unused functions', () => this.sweep()),
      between,
    );
    this.#timer.unref();
  }

  markUsed(versionId: number): void {
    this.#uses.set(versionId, this.#ports.clock.now());
  }

  async activate(versionId: number): Promise<void> {
    const { database, background } = this.#ports;
    const isPending = await database.write(async (sql) => {
      const version = await findVersionById(sql, versionId);
      if (version?.state.value !== 'Inactive') return false;
      return compareAndReplaceVersionState(sql, versionId, version.revisionId, {
        ...this.#revised(version),
        state: { value: 'Pending', reason: restoring },
      });
    });
    if (isPending)
      background.run(`function version ${versionId}`, () =>
        activateVersion(this.#ports, versionId),
      );
  }

  async sweep(): Promise<void> {
    await this.#storeUses();
    const { database, clock, environments, homes } = this.#ports;
    const since = clock.now() - this.#inactiveMilliseconds;
    const unused = await database.read((sql) => listUnused(sql, since));
    for (const version of unused) {
      // Its home alone knows when it was used last.
      if (!homes.isHome(version.name)) continue;
      const deactivated = await database.write((sql) =>
        compareAndReplaceVersionState(sql, version.id, version.revisionId, {
          ...this.#revised(version),
          state: { value: 'Inactive', reason: idle },
        }),
      );
      if (deactivated) environments.drain(version.id);
    }
    await this.#drainUnservedSnapshots();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#storeUses();
  }

  /**
   * An invocation that has read its version just before that was deleted, deactivated or moved may reach the pool after the drain. For
   * a snapshot it starts an environment that being idle does not end.
   */
  async #drainUnservedSnapshots(): Promise<void> {
    const { environments } = this.#ports;
    for (const id of environments.snapshotVersionIds()) {
      if (!(await findServedVersion(this.#ports, id))) environments.drain(id);
    }
  }

  async #storeUses(): Promise<void> {
    const uses = this.#uses;
    if (uses.size === 0) return;
    this.#uses = new Map();
    await this.#ports.database.write(async (sql) => {
      for (const [versionId, usedAt] of uses) await noteUse(sql, versionId, usedAt);
    });
  }

  #revised(version: FunctionVersion): VersionState {
    const { random } = this.#ports;
    return { ...version, configurationId: version.desired.id, revisionId: random.id() };
  }
}

/**
 * Pause between two looks for functions without invocations, and between two times that uses are stored: a quarter of
 * `HOB_FUNCTION_INACTIVE_SECONDS`, at most this.
 */
const sweepMillisecondsMax = 60 * 60_000;
