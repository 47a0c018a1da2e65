/** The log of one execution environment: the output of its programs and the platform's records. */
export interface EnvironmentLog {
  /** Appends output of the program. */
  output(bytes: Uint8Array): void;
  /** A program is being started. */
  initStarted(start: InitStart): void;
  /** The program is ready, or it failed: then the report is logged immediately. */
  initEnded(report: InitReport): void;
  /** An invocation and its log tail begin. The tenant id is that of a function with tenant isolation. */
  invocationStarted(requestId: string, version: string, tenantId?: string): void;
  /** Called when the invocation has ended and all its output was passed to `output`. */
  invocationEnded(report: InvocationReport): LogTail;
  close(): Promise<void>;
}

/** The last bytes of an invocation's log. */
export interface LogTail {
  bytes(): Buffer;
}

/** Of what ran in no environment. */
export const noLog: LogTail = { bytes: () => Buffer.alloc(0) };

/** Why a program is started, as a value of `AWS_LAMBDA_INITIALIZATION_TYPE`. */
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
  /** The duration of the start that this invocation waited for. */
  readonly initMilliseconds?: number;
  readonly failure?: Failure;
  readonly traceHeader?: string;
}

export interface Failure {
  /** `failure` is an internal error of the service. */
  readonly status: 'timeout' | 'error' | 'failure';
  /** `Runtime.ExitError`; absent for timeouts. */
  readonly errorType?: string;
  /** The limit that was exceeded, in seconds. */
  readonly timeoutSeconds?: number;
}
