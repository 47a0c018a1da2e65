import type { ObjectEndpoint } from './code/objects/endpoint-objects.ts';
import type { IsolationTier } from './launcher/isolation.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/database/database.ts';
import type { Log } from '#platform/log.ts';
import type { Random } from '#platform/random.ts';

/** The settings to start the service, in addition to FunctionSettings. */
export interface FunctionStart {
  /** Everything of the service that outlives the program is in here. */
  readonly folder: string;
  /** For Unix sockets: the path of one is short. */
  readonly socketsFolder: string;
  /** Directories of the server that are closed to other users, on the path to `folder` and `socketsFolder`. */
  readonly ownFolders: readonly string[];
  /** The host's search path for programs. */
  readonly searchPath: string;
  /** Runtime to program: overrides what is found on the host. */
  readonly runtimePrograms: Readonly<Record<string, string>>;
  /** Folder of buckets, or an endpoint that has them. */
  readonly objects: { readonly folder: string } | ObjectEndpoint | undefined;
  /** Folder of OCI image layouts. */
  readonly imagesFolder: string | undefined;
  /** Days for which a log stream is retained after its last line; 0: until its group is full. */
  readonly logDays: number;
  /** Whether functions without a network of their own reach what the host does. */
  readonly hostNetwork: boolean;
  /** Runs functions even without any isolation from the host. */
  readonly insecureFunctions: boolean;
  /** The start fails on a host that provides less. */
  readonly requiredIsolation: IsolationTier | undefined;
}

export interface FunctionServicePorts {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** The same at every start with the same data folder. */
  readonly serverId: string;
}
