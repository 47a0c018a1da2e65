import type { BackgroundWork } from '#platform/background.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/database/database.ts';
import type { SerialQueues } from '#platform/lanes.ts';
import type { PendingWork } from '#platform/pending-work.ts';
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
  /** Where several processes count requests together; undefined: this one counts alone. */
  readonly counters?: SharedCounters | undefined;
  /** Work that goes on after the answer; one run at a time per key, errors are logged. */
  readonly background: BackgroundWork;
  /** What must not run at the same time within this process. Another process is held off by comparisons, not by these. */
  readonly serialQueues: SerialQueues;
  /**
   * By id of a network of forks: what brings its refs and rows together after a crash. Who reads or writes its
   * repositories waits for it (auth/reconciled-read.ts).
   */
  readonly reconciliation: PendingWork;
}

export interface Passwords {
  hash(password: string): Promise<string>;
  /** Takes as long for a hash that is not there as for one that is. */
  verify(password: string, hash: string | undefined): Promise<boolean>;
}
