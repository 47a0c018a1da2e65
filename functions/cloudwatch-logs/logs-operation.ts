import { createHash } from 'node:crypto';

import {
  type StructureOf,
  type StructureShape,
  integer,
  list,
  optional,
  required,
  string,
  structure,
} from '#functions-contract/shape.ts';

import { ServiceError } from '../errors/functions-error.ts';
import type { FunctionPorts } from '../http/call.ts';

/** What operations of CloudWatch Logs need from the service. */
export type LogsPorts = Pick<FunctionPorts, 'settings' | 'clock' | 'logFolder' | 'random'>;

/** What an operation knows about its request in addition to the input. */
export interface LogsCall {
  readonly requestId: string;
  /** Aborted once the client has disconnected. */
  readonly ended: AbortSignal;
  /** Whether the server is shutting down: a stream must not delay that. */
  readonly isStopping: () => boolean;
  /** Whether the access key of the request is still valid. */
  readonly mayGoOn: () => Promise<boolean>;
}

/** An operation, by the name that follows `Logs_20140328.` in `X-Amz-Target`. */
export interface LogsOperation {
  readonly name: string;
  readonly input: StructureShape;
  /** Resolves with what is sent as JSON, or with the messages of an event stream. */
  readonly handle: (input: object, call: LogsCall) => Promise<object | AsyncIterable<Uint8Array>>;
}

/** Ties a handler to the types of its input. */
export function logsOperation<I extends StructureShape>(
  name: string,
  input: I,
  handle: (input: StructureOf<I>, call: LogsCall) => Promise<object | AsyncIterable<Uint8Array>>,
): LogsOperation {
  return {
    name,
    input,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parsed by this very shape
    handle: (given, call) => handle(given as StructureOf<I>, call),
  };
}

const groupPattern = String.raw`[\.\-_/#A-Za-z0-9]+`;

export const groupName = string({ min: 1, max: 512, pattern: groupPattern });

/** A name or an ARN. */
export const groupIdentifier = string({ min: 1, max: 2048, pattern: String.raw`[\w#+=/:,.@-]*` });

export const streamName = string({ min: 1, max: 512, pattern: '[^:*]*' });

export const ofGroup = {
  logGroupName: optional(groupName, 'Name of the log group.'),
  logGroupIdentifier: optional(groupIdentifier, 'Name or ARN of the log group.'),
};

/** Epoch milliseconds. */
const timestamp = { type: 'long', min: 0 } as const;

export const between = {
  startTime: optional(timestamp, 'Earliest time of the events.'),
  endTime: optional(timestamp, 'Latest time of the events.'),
};

export const nextToken = optional(string({ min: 1 }), 'Asks for the next page.');

export const limitUpTo = (max: number) => optional(integer({ min: 1, max }), 'Items of a page.');

export { integer, list, optional, required, string, structure };

/** A page token is valid only for the same query. */
export function writeToken(position: readonly (string | number)[], query: object): string {
  return Buffer.from(JSON.stringify([digest(query), ...position])).toString('base64url');
}

/** What `writeToken` wrote after the digest; undefined without a token. */
export function readToken(
  token: string | undefined,
  query: object,
): readonly unknown[] | undefined {
  if (token === undefined) return undefined;
  try {
    const read: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    if (Array.isArray(read) && read[0] === digest(query)) return read.slice(1);
  } catch {
    // Refused below, like any other token that is none.
  }
  throw invalidToken();
}

function digest(query: object): string {
  const { nextToken: _token, limit: _limit, ...parameters } = { nextToken: '', limit: 0, ...query };
  const sorted = Object.entries(parameters).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('base64url').slice(0, 16);
}

export function invalidLogsParameter(message: string): ServiceError {
  return new ServiceError('InvalidParameterException', message);
}

export function noSuchGroup(): ServiceError {
  return new ServiceError('ResourceNotFoundException', 'The specified log group does not exist.');
}

export function noSuchStream(): ServiceError {
  return new ServiceError('ResourceNotFoundException', 'The specified log stream does not exist.');
}

export function invalidToken(): ServiceError {
  return invalidLogsParameter('The specified nextToken is invalid.');
}
