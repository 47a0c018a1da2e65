import type { BackgroundWork } from '#platform/background.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/database/database.ts';
import type { PendingWork } from '#platform/pending-work.ts';
import type { SerialQueues } from '#platform/serial-queues.ts';
import type { SharedCounters } from '#platform/shared-counters.ts';

import type { Git } from '../git/git.ts';
import type { ForgeSettings } from './settings.ts';

/** The interfaces through which endpoints and domain functions reach databases, git, time and randomness. */
export interface Ports {
  readonly database: Database;
  readonly git: Git;
  readonly clock: Clock;
  readonly settings: ForgeSettings;
  readonly passwords: Passwords;
  /** Cryptographically random bytes. */
  readonly randomBytes: (count: number) => Uint8Array;
  /** Rate limit counters that several processes share; undefined for a single process. */
  readonly counters?: SharedCounters | undefined;
  /** Work that continues after the response; one run at a time per key, errors are logged. */
  readonly background: BackgroundWork;
  /** Queues for work that must not run concurrently within this process. Compare-and-swap protects from other processes. */
  readonly serialQueues: SerialQueues;
  /**
   * Pending reconciliation of refs and rows after a crash, by id of a network of forks. Reads and writes of its
   * repositories wait for it (auth/reconciled-read.ts).
   */
  readonly reconciliation: PendingWork;
}

interface Passwords {
  hash(password: string): Promise<string>;
  /** Takes the same time without a hash as with one, so that timing does not reveal which accounts exist. */
  verify(password: string, hash: string | undefined): Promise<boolean>;
}

/** The ports for administration of accounts: without git, so that a command can use them while a server is running. */
export type AdministrationPorts = Pick<Ports, 'clock' | 'database' | 'passwords' | 'randomBytes'>;
