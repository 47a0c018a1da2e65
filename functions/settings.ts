import type { ObjectEndpoint } from './code/objects/endpoint-objects.ts';
import type { IsolationTier } from './launcher/isolation.ts';

/** What the operator decides about the function service. */
export interface FunctionSettings {
  readonly region: string;
  /** Twelve digits. */
  readonly accountId: string;
  /** Lets requests without a signature pass. */
  readonly allowUnsigned: boolean;
  /** `scheme://host[:port]` */
  readonly baseUrl: string;
  /** Hosts of function URLs are in it; undefined: function URLs are paths below the base URL. */
  readonly urlDomain: string | undefined;
  /** For how long an update shows as InProgress at least: 0 but for tests of clients. */
  readonly updateMilliseconds: number;
  /** Seconds after which an execution environment that nobody invokes is let go. */
  readonly idleEnvironmentSeconds: number;
  /** Seconds after which a function that nobody invokes rests. */
  readonly inactiveSeconds: number;
  /** Execution environments that may be alive at once on this host. */
  readonly environmentsMax: number;
  /** Bytes that the archives of all versions of functions and layers may come to together. */
  readonly codeBytesMax: number;
}

/** What it takes to start the service, beside that. */
export interface FunctionStart {
  /** Everything of the service that outlives the program is in here. */
  readonly folder: string;
  /** For Unix sockets: the path of one is short. */
  readonly socketsFolder: string;
  /** Those of the server that are closed to other users, on the way to `folder` and `socketsFolder`. */
  readonly ownFolders: readonly string[];
  /** The host's search path for programs. */
  readonly searchPath: string;
  /** Runtime to program: used for it, whatever else the host has. */
  readonly runtimePrograms: Readonly<Record<string, string>>;
  /** Folder of buckets, or an endpoint that has them. */
  readonly objects: { readonly folder: string } | ObjectEndpoint | undefined;
  /** Folder of OCI image layouts. */
  readonly imagesFolder: string | undefined;
  /** Whether functions without a network of their own reach what the host does. */
  readonly hostNetwork: boolean;
  /** Runs functions even where nothing keeps them from the host. */
  readonly insecureFunctions: boolean;
  /** The start fails on a host that gives less. */
  readonly requiredIsolation: IsolationTier | undefined;
}
