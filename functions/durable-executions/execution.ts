import type { executionStatus } from '#functions-contract/shapes/durable-operations.ts';
import type { ValueOf } from '#functions-contract/shape.ts';

import { functionArn, type Site } from '../model/function-name.ts';
import type { ErrorObject } from './operation.ts';

export type ExecutionStatus = ValueOf<typeof executionStatus>;

/** How an execution ends. */
export type ExecutionEnd =
  | { readonly status: 'SUCCEEDED'; readonly result?: string }
  | { readonly status: 'FAILED' | 'TIMED_OUT' | 'STOPPED'; readonly error: ErrorObject };

/** A durable execution as it is begun. */
export interface NewExecution {
  readonly functionId: number;
  readonly functionName: string;
  readonly name: string;
  /** The last part of its ARN: no other execution ever has it. */
  readonly key: string;
  /** `$LATEST` or a number: the version that every run has, whatever becomes of an alias. */
  readonly version: string;
  /** Version or alias as invoked. */
  readonly qualifier: string;
  /** JSON text. */
  readonly input: string;
  /** JSON text. */
  readonly clientContext: string | undefined;
  readonly tenantId: string | undefined;
  readonly traceHeader: string | undefined;
  readonly timeoutSeconds: number;
  readonly retentionDays: number;
  /** The execution that invokes it, and by which of its operations. */
  readonly caller: Caller | undefined;
}

export interface Caller {
  readonly executionId: number;
  readonly operationId: string;
}

/** One that is kept; its payloads are read on their own. */
export interface Execution extends Omit<NewExecution, 'input'> {
  readonly id: number;
  readonly status: ExecutionStatus;
  /** Epoch milliseconds, like all times here. */
  readonly startedAt: number;
  readonly timesOutAt: number;
  readonly endedAt: number | undefined;
  readonly run: Run | undefined;
  /** Number of the checkpoint that comes next. */
  readonly checkpoint: number;
  /** What told the last checkpoint from another. */
  readonly clientToken: string | undefined;
  /** Runs in a row that failed. */
  readonly failures: number;
  /** Times in a row that it could not be run. */
  readonly delays: number;
  /** Operations and events so far. */
  readonly operations: number;
  readonly events: number;
}

/** The invocation that is under way. */
export interface Run {
  readonly requestId: string;
  /** In its checkpoint tokens: those of runs before are stale. */
  readonly secret: string;
  readonly startedAt: number;
}

/** How long what happened is kept when the function does not say. */
export const retentionDaysDefault = 14;
/** The longest that a caller waits for the end of an execution. */
export const waitSecondsMax = 900;
/** Operations of one execution. */
export const operationsMax = 30_000;

export function executionArn(
  site: Site,
  {
    functionName,
    version,
    name,
    key,
  }: Pick<Execution, 'functionName' | 'version' | 'name' | 'key'>,
): string {
  return `${functionArn(site, functionName, version)}/durable-execution/${name}/${key}`;
}

/** A token is good for one checkpoint of one run. */
export function checkpointToken({ secret }: Pick<Run, 'secret'>, checkpoint: number): string {
  return `${secret}${checkpoint.toString(16).padStart(numberDigits, '0')}`;
}

/** What a token of ours is made of; nonsense matches no run. */
export function readCheckpointToken(token: string): { secret: string; checkpoint: number } {
  return {
    secret: token.slice(0, -numberDigits),
    checkpoint: Number.parseInt(token.slice(-numberDigits), 16),
  };
}

const numberDigits = 12;
