import type { BackgroundWork } from '#platform/background.ts';
import type { QueueSize } from '#platform/queue-size.ts';
import type { TaskRun } from '#platform/task-runs.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database, Sql } from '#platform/database/database.ts';
import type { Log } from '#platform/log.ts';
import type { PendingWork } from '#platform/pending-work.ts';
import type { SerialQueues } from '#platform/serial-queues.ts';
import type { SharedCounters } from '#platform/shared-counters.ts';
import type { RecordSiteAct } from '#platform/site-act.ts';

import type { Link } from '#web/layout.ts';

import type { Git } from '../git/git.ts';
import type { AssetFiles } from './asset-files.ts';
import type { ForgeHolds } from './forge-holds.ts';
import type { FunctionTargets } from './function-targets.ts';
import type { PushListener } from './push-listener.ts';
import type { SshPort } from './ssh-port.ts';

/** The interfaces through which endpoints and domain functions reach databases, git, time and randomness. */
export interface Ports {
  readonly database: Database;
  readonly git: Git;
  readonly assetFiles: AssetFiles;
  readonly clock: Clock;
  /** Identifies the claims of this server, and its ref intents; the same at every start with the same data directory. */
  readonly serverId: string;
  /** Within the transaction that declares a change of refs: whether this server still owns the shard of the repository. Undefined where no other server can have the repository. */
  readonly ownsShardOf?: ((sql: Sql, repositoryId: number) => Promise<boolean>) | undefined;
  /** Polls which server owns which shard, after `ownsShardOf` was false; undefined where that does not change. */
  readonly pollShardOwners?: (() => Promise<void>) | undefined;
  /** Headers of a response which name the other server that has the repository, for a balancer; undefined where no other server can have it. */
  readonly ownerHeaders?: ((repositoryId: number) => Promise<Record<string, string>>) | undefined;
  /** The shard for a new network of repositories; undefined where there is only one. */
  readonly shardForNetwork?: (() => number) | undefined;
  readonly settings: ForgeSettings;
  readonly log: Log;
  readonly passwords: Passwords;
  /** Cryptographically random bytes. */
  readonly randomBytes: (count: number) => Uint8Array;
  readonly sealing: Sealing;
  /** Counters of limits that several processes share; undefined for a single process. */
  readonly counters?: SharedCounters | undefined;
  /** How many servers of the cluster take requests now, this one included; undefined for a server that is alone. */
  readonly servers?: (() => number) | undefined;
  /** Counts what the response cache does, where metrics are on; counts start at zero with the program. */
  readonly cacheCounts?: CacheCounts | undefined;
  /** What tests of clients hold back; undefined on every other server. */
  readonly testHolds?: ForgeHolds | undefined;
  /** Functions of this program as targets of webhooks; undefined where the forge runs alone. */
  readonly functionTargets?: FunctionTargets | undefined;
  /** Pages of other services on this site; undefined where the forge runs alone. */
  readonly otherPages?: readonly Link[] | undefined;
  /** Those of them that are for site administrators. */
  readonly otherAdministration?: readonly Link[] | undefined;
  /** What site administrators see of the program; undefined where the forge runs alone. */
  readonly serverStatus?: ServerStatus | undefined;
  /** The audit log of the program; undefined where the forge runs alone. */
  readonly recordSiteAct?: RecordSiteAct | undefined;
  /** Notified of changes of branches; undefined where the forge runs alone. */
  readonly pushListener?: PushListener | undefined;
  /** The open port for git over SSH; undefined where it is off. */
  readonly ssh?: SshPort | undefined;
  /** Work that no response waits for; one run at a time per key, errors are logged. */
  readonly background: BackgroundWork;
  /** Queues for work that must not run concurrently within this process. Compare-and-swap protects from other processes. */
  readonly serialQueues: SerialQueues;
  /**
   * Pending reconciliation of refs and rows after a crash, by id of a network of forks. Reads and writes of its
   * repositories wait for it (auth/reconciled-read.ts).
   */
  readonly reconciliation: PendingWork;
}

/** The program around the forge, as the pages for site administrators show it. */
export interface ServerStatus {
  /** The work that both services have stored for later. */
  readonly queues: () => Promise<readonly QueueSize[]>;
  /** Makes the next attempts of what has failed in a queue of another service due; undefined: it has no such attempts. */
  retryQueue(queue: string): Promise<number | undefined>;
  /** The lines of `hob doctor` about isolation and runtimes, and the packages of runtimes. */
  host(): Promise<readonly string[]>;
  /** Without secrets. */
  readonly settings: readonly {
    readonly name: string;
    readonly value: string;
    /** A flag, a variable or the default. */
    readonly source: string;
  }[];
  tasks(): readonly TaskRun[];
  /** What else is on disk: lists of what has the most bytes. */
  storage(): Promise<readonly StorageList[]>;
}

export interface StorageList {
  readonly title: string;
  /** The largest first. */
  readonly items: readonly { readonly name: string; readonly bytes: number }[];
}

/** Responses that were served from the cache, and those that were computed and put into it. */
export interface CacheCounts {
  hits: number;
  misses: number;
}

/** Encrypts what the server gives out and gets back, with a key that is not in the database. */
interface Sealing {
  /** The context says what the text is for; decryption requires the same one. */
  seal(plain: Uint8Array, context: string): string;
  /** undefined: encrypted with another key, for another context, or changed since. */
  unseal(sealed: string, context: string): Uint8Array | undefined;
  /** A key for signatures, and the name of the key that it is derived from. */
  derive(purpose: string): { readonly name: string; readonly key: Uint8Array };
  /** The same from the key of that name; undefined where that is replaced. */
  deriveFrom(name: string, purpose: string): Uint8Array | undefined;
}

interface Passwords {
  hash(password: string): Promise<string>;
  /** Takes the same time without a hash as with one, so that timing does not reveal which accounts exist. */
  verify(password: string, hash: string | undefined): Promise<boolean>;
}

/** The ports for administration of accounts: without git, so that a command can use them while a server is running. */
export type AdministrationPorts = Pick<Ports, 'clock' | 'database' | 'passwords' | 'randomBytes'>;

/** The operator's settings of the forge. */
export interface ForgeSettings {
  /** `scheme://host[:port]` without a trailing slash; every `*_url` begins with it. */
  readonly baseUrl: string;
  /**
   * Loopback aliases of the base URL, from Host header to base URL. Requests to an alias get URLs with the same alias,
   * because clients require that URLs stay on the same host.
   */
  readonly loopbackBaseUrls: ReadonlyMap<string, string>;
  /** strict: the operation that needs a preview media type responds with 415 without it (docs/specification/forge.md 8.3). */
  readonly previews: 'strict' | 'lenient';
  /** Requests an hour (docs/specification/forge.md 6.1). */
  readonly rateLimitUser: number;
  readonly rateLimitAnonymous: number;
  readonly rateLimitApplication: number;
  /** Searches a minute with credentials; a third of it without, and of code. */
  readonly rateLimitSearch: number;
  /** Whether bursts are limited, in addition to the hourly limits (routing/abuse-limit.ts). */
  readonly abuseLimits: boolean;
  /** Requests per minute of one caller for one URL whose response has not changed; 0: no limit. */
  readonly pollingLimit: number;
  /** Addresses and networks of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
  /** Whether webhooks may be sent to loopback and private addresses (http/private-target.ts). */
  readonly webhookPrivateTargets: boolean;
  /** Whether pages show images of other servers, which this server fetches; `private`: also those at private addresses. */
  readonly imageProxy: 'off' | 'on' | 'private';
  /** Whether repositories are imported from other servers; `private`: also from those at private addresses. */
  readonly imports: 'off' | 'on' | 'private';
  /** Whether this is a server for tests of clients, whose state and clock they change; `GET /meta` says so. */
  readonly testControls?: boolean;
  /** The port at which clients reach git over SSH; undefined where it is off. */
  readonly sshPort?: number | undefined;
  /** The vendor name in media types and headers (json/vendor.ts). */
  readonly vendor: string;
}
