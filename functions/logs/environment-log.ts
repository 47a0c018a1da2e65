/** The log of one execution environment: what its programs print and what the platform says about them. */
export interface EnvironmentLog {
  /** Bytes that the program printed. */
  output(bytes: Uint8Array): void;
  /** A program is being started. */
  initStarted(start: InitStart): void;
  /** It is ready, or it failed: then the report is told at once. */
  initEnded(report: InitReport): void;
  /** An invocation begins; its tail begins here. The tenant is that of a function that keeps them apart. */
  started(requestId: string, version: string, tenantId?: string): void;
  /** The invocation is over and all that it printed was given to `output`; answers with the end of what was told since it began. */
  ended(report: InvocationReport): Buffer;
  close(): Promise<void>;
}

/** Why a program is started, in the words of `AWS_LAMBDA_INITIALIZATION_TYPE`. */
export type InitializationType =
  | 'on-demand'
  | 'provisioned-concurrency'
  | 'snap-start'
  | 'lambda-managed-instances';

export interface InitStart {
  readonly initializationType: InitializationType;
  readonly runtime: string;
  readonly runtimeVersionArn: string;
}

export interface InitReport {
  readonly initializationType: InitializationType;
  readonly phase: 'init' | 'invoke';
  readonly milliseconds: number;
  readonly failure?: Failure;
}

export interface InvocationReport {
  readonly requestId: string;
  readonly milliseconds: number;
  readonly memorySizeMiB: number;
  readonly peakMemoryBytes: number;
  /** Of the start that this invocation waited for. */
  readonly initMilliseconds?: number;
  readonly failure?: Failure;
  readonly traceId?: string;
}

export interface Failure {
  /** `failure` is the service's own. */
  readonly status: 'timeout' | 'error' | 'failure';
  /** `Runtime.ExitError`; absent for timeouts. */
  readonly errorType?: string;
  /** Seconds of the limit that was passed. */
  readonly timeoutSeconds?: number;
}
