import type { executionStatus } from '#functions-contract/shapes/durable-operations.ts';
import type { ValueOf } from '#functions-contract/shape.ts';

import { functionArn, type AccountRegion } from '../model/function-name.ts';
import type { ErrorObject } from './operation.ts';

export type ExecutionStatus = ValueOf<typeof executionStatus>;

/** How an execution ends. */
export type ExecutionEnd =
  | { readonly status: 'SUCCEEDED'; readonly result?: string }
  | { readonly status: 'FAILED' | 'TIMED_OUT' | 'STOPPED'; readonly error: ErrorObject };

/** A durable execution to be started. */
export interface NewExecution {
  readonly functionId: number;
  readonly functionName: string;
  readonly name: string;
  /** The last part of its ARN, unique over all executions. */
  readonly key: string;
  /** `$LATEST` or a number: every run uses this version, even if the alias changes. */
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
  /** The execution and the operation that invoke it. */
  readonly caller: Caller | undefined;
}

export interface Caller {
  readonly executionId: number;
  readonly operationId: string;
}

/** A stored execution; its payloads are read separately. */
export interface Execution extends Omit<NewExecution, 'input'> {
  readonly id: number;
  readonly status: ExecutionStatus;
  /** Epoch milliseconds, like all times here. */
  readonly startedAt: number;
  readonly timesOutAt: number;
  readonly endedAt: number | undefined;
  readonly run: Run | undefined;
  /** The number of the next checkpoint. */
  readonly checkpoint: number;
  /** The client token of the last checkpoint. */
  readonly clientToken: string | undefined;
  /** Consecutive failed runs. */
  readonly failures: number;
  /** Consecutive times that it could not be run. */
  readonly delays: number;
  /** Operations and events so far. */
  readonly operations: number;
  readonly events: number;
}

/** The current invocation. */
export interface Run {
  readonly requestId: string;
  /** Part of its checkpoint tokens, so that tokens of earlier runs are invalid. */
  readonly secret: string;
  readonly startedAt: number;
}

/** Retention of the history of a durable execution, unless it says otherwise. */
export const retentionDaysDefault = 14;
/** Time of a durable execution whose end a caller waits for. */
export const waitSecondsMax = 900;
/** Operations of a durable execution. */
export const operationsMax = 30_000;

export function executionArn(
  accountRegion: AccountRegion,
  {
    functionName,
    version,
    name,
    key,
  }: Pick<Execution, 'functionName' | 'version' | 'name' | 'key'>,
): string {
  return `${functionArn(accountRegion, functionName, version)}/durable-execution/${name}/${key}`;
}

/** A token is valid for one checkpoint of one run. */
export function checkpointToken({ secret }: Pick<Run, 'secret'>, checkpoint: number): string {
  return `${secret}${checkpoint.toString(16).padStart(numberDigits, '0')}`;
}

/** Parses a token; an invalid one matches no run. */
export function readCheckpointToken(token: string): { secret: string; checkpoint: number } {
  return {
    secret: token.slice(0, -numberDigits),
    checkpoint: Number.parseInt(token.slice(-numberDigits), 16),
  };
}

const numberDigits = 12;
