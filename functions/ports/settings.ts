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
