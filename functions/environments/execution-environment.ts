import type { RuntimeEvent, RuntimeAnswer } from '../runtime-api/runtime-channel.ts';
import type { InitFailure } from './runtime-process.ts';
import type { StartFailure, VersionSpec } from './version-spec.ts';

/** What the pool asks of an execution environment. */
export interface ExecutionEnvironment {
  /** Starts the function ahead of any event; undefined once it asks for one. */
  initialise(): Promise<InitFailure | undefined>;
  /** Runs one event. Rejects when the environment is of no more use: see EnvironmentLostError. */
  invoke(event: RuntimeEvent): Promise<Answer>;
  close(): Promise<void>;
  /** Calls back once when the sandbox is gone, which nobody here asked for. */
  onLost(listener: () => void): void;
}

/** Creates an environment; it is not initialised yet. */
export type CreateEnvironment = (spec: VersionSpec) => Promise<CreatedEnvironment>;

export type CreatedEnvironment =
  | { readonly kind: 'created'; readonly environment: ExecutionEnvironment }
  | { readonly kind: 'failed'; readonly failure: StartFailure };

/** The environment is gone; not by its function, but because the process that ran its sandbox died. */
export class EnvironmentLostError extends Error {
  /** Whether the function may have worked on the event: then it must not be given to another environment. */
  readonly delivered: boolean;

  constructor(delivered: boolean, options?: ErrorOptions) {
    super('The execution environment failed during an invocation.', options);
    this.name = 'EnvironmentLostError';
    this.delivered = delivered;
  }
}

export interface Answer {
  readonly outcome: Outcome;
  /** The end of the log, from the start of the invocation on. */
  readonly logTail: Promise<Buffer>;
}

export type Outcome =
  | Extract<RuntimeAnswer, { kind: 'response' | 'stream' }>
  | { readonly kind: 'failed'; readonly payload: Uint8Array; readonly errorType: string };

/** What a function answered, for those who want it in one: a response that comes in pieces is waited for. */
export async function wholePayload(outcome: Outcome): Promise<Uint8Array> {
  return outcome.kind === 'stream' ? collected(outcome.body) : outcome.payload;
}

export async function collected(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}
