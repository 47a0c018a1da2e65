import type { BackgroundWork } from '#platform/background.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/database/database.ts';
import type { Random } from '#platform/random.ts';

import type { FunctionHolds } from './function-holds.ts';
import type { HomeNodes } from './home-nodes.ts';

/** What most of the service needs; each area adds what is its own. */
export interface SystemPorts {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  /** Work that no response waits for; one run at a time per key, errors are logged. */
  readonly background: BackgroundWork;
  readonly settings: FunctionSettings;
  readonly homes: HomeNodes;
  /** What tests of clients hold back; undefined on every other server. */
  readonly testHolds?: FunctionHolds | undefined;
}

/** The operator's settings of the function service. */
export interface FunctionSettings {
  readonly region: string;
  /** Twelve digits. */
  readonly accountId: string;
  /** Lets requests without a signature pass. */
  readonly allowUnsigned: boolean;
  /** `scheme://host[:port]` */
  readonly baseUrl: string;
  /** Loopback aliases of the base URL, from Host header to base URL. */
  readonly loopbackBaseUrls: ReadonlyMap<string, string>;
  /** Hosts of function URLs are in it; undefined: function URLs are paths below the base URL. */
  readonly urlDomain: string | undefined;
  /** For how long an update shows as InProgress at least: 0 but for tests of clients. */
  readonly minimumInProgressMilliseconds: number;
  /** Seconds after which an idle execution environment is closed. */
  readonly idleEnvironmentSeconds: number;
  /** Seconds without an invocation after which a function becomes inactive. */
  readonly inactiveSeconds: number;
  /** Execution environments that may be alive at once on this host. */
  readonly environmentsMax: number;
  /** Bytes that the archives of all versions of functions and layers may come to together. */
  readonly codeBytesMax: number;
  /** The parents of the folders that site administrators may declare on pages. */
  readonly sharedFolders: readonly string[];
  /** Hosts, `host:port`, that they may declare there. */
  readonly sharedHosts: readonly string[];
}
