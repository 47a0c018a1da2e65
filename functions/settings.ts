/** What the operator decides about the function service. */
export interface FunctionSettings {
  readonly region: string;
  /** Twelve digits. */
  readonly accountId: string;
  /** Lets requests without a signature pass. */
  readonly allowUnsigned: boolean;
  /** `scheme://host[:port]` */
  readonly baseUrl: string;
  /** How long an update tells InProgress at least, so that clients that watch for it see it. */
  readonly updateMilliseconds: number;
  /** Seconds after which an execution environment that nobody invokes is let go. */
  readonly idleEnvironmentSeconds: number;
  /** Execution environments that may be alive at once on this host. */
  readonly environmentsMax: number;
}
