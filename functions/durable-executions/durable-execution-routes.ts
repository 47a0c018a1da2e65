import { present } from '#platform/present.ts';

import {
  listDurableExecutionsByFunction,
  getDurableExecution,
  getDurableExecutionHistory,
  getDurableExecutionState,
  checkpointDurableExecution,
  stopDurableExecution,
  sendDurableExecutionCallbackFailure,
  sendDurableExecutionCallbackHeartbeat,
  sendDurableExecutionCallbackSuccess,
} from '#functions-contract/operations/durable-executions.ts';
import type { StructureOf } from '#functions-contract/shape.ts';
import type { durableExecution } from '#functions-contract/shapes/durable-operations.ts';

import { versionNumberOf } from '../configuration/function-record.ts';
import { FunctionsError, invalidParameter } from '../errors/functions-error.ts';
import {
  bindOperation,
  type OperationHandler,
  type CreateHandler,
  type FunctionPorts,
} from '../http/call.ts';
import { readMarker, writeMarker } from '../json/paging.ts';
import { readFunctionName, functionArn, type AccountRegion } from '../model/function-name.ts';
import { findReferred, functionNotFound } from '../versions/find-function.ts';
import { answerCallback, extendCallback } from './callbacks.ts';
import { checkErrorSize, checkRunToken, checkpoint } from './checkpoint.ts';
import { listExecutions, type ExecutionFilter, findPayloads } from './execution-store.ts';
import { executionArn, type Execution } from './execution.ts';
import {
  getByArn,
  pageCharacters,
  pageSize,
  readStateMarker,
  stateMarker,
  pageOfState,
  visibleOperations,
} from './execution-state.ts';
import {
  representEvent,
  representItself,
  representOperation,
  wireSeconds,
} from './execution-json.ts';
import { listEvents } from './history-store.ts';
import { findOperations, outlineOperations } from './operation-store.ts';
import { stopExecution } from './end-execution.ts';

/** Durable executions, their checkpoints and callbacks. */
export const durableExecutionRoutes: readonly CreateHandler[] = [
  serveListDurableExecutionsByFunction,
  serveGetDurableExecution,
  serveGetDurableExecutionHistory,
  serveGetDurableExecutionState,
  serveCheckpointDurableExecution,
  serveStopDurableExecution,
  serveSendDurableExecutionCallbackSuccess,
  serveSendDurableExecutionCallbackFailure,
  serveSendDurableExecutionCallbackHeartbeat,
];

type ListDurableExecutionsByFunctionOutput = StructureOf<
  (typeof listDurableExecutionsByFunction)['output']
>;

function serveListDurableExecutionsByFunction(ports: FunctionPorts): OperationHandler {
  const { database, settings } = ports;
  return bindOperation(
    listDurableExecutionsByFunction,
    async (input): Promise<ListDurableExecutionsByFunctionOutput> => {
      const reference = readFunctionName(input.FunctionName, settings, input.Qualifier);
      const after = readPosition(input.Marker);
      const startedAfter = readTimestamp(input.StartedAfter);
      const startedBefore = readTimestamp(input.StartedBefore);
      const size = pageSize(input.MaxItems);
      const found = await database.read(async (sql) => {
        const version = await findReferred(sql, reference);
        if (!version) throw functionNotFound(settings, reference.name, reference.qualifier);
        const filter: ExecutionFilter = {
          functionId: version.functionId,
          version: reference.qualifier === undefined ? undefined : versionNumberOf(version),
          name: input.DurableExecutionName,
          statuses: input.Statuses,
          startedAfter,
          startedBefore,
          oldestFirst: input.ReverseOrder ?? false,
          after,
        };
        return listExecutions(sql, filter, size + 1);
      });
      const page = found.slice(0, size);
      const last = page.at(-1);
      return {
        DurableExecutions: page.map((execution) => representExecution(settings, execution)),
        ...(found.length > size && last
          ? { NextMarker: writeMarker([String(last.startedAt), String(last.id)]) }
          : {}),
      };
    },
  );
}

function readPosition(marker: string | undefined): ExecutionFilter['after'] {
  const position = readMarker(marker);
  if (position.length === 0) return undefined;
  const [startedAt = -1, id = -1] = position.map((part) =>
    /^\d{1,15}$/.test(part) ? Number(part) : -1,
  );
  if (startedAt >= 0 && id >= 0) return { startedAt, id };
  throw invalidParameter('Invalid marker: use the NextMarker of the previous page.');
}

/** Clients send timestamps in ISO 8601, or as seconds since the epoch. */
function readTimestamp(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const milliseconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text);
  if (Math.abs(milliseconds) <= latestTimestamp) return Math.round(milliseconds);
  throw new FunctionsError('SerializationException', `'${text}' can not be converted to Date`);
}

/** The last timestamp that a `Date` can represent. */
const latestTimestamp = 8_640_000_000_000_000;

type GetDurableExecutionOutput = StructureOf<(typeof getDurableExecution)['output']>;

function serveGetDurableExecution({ database, settings }: FunctionPorts): OperationHandler {
  return bindOperation(getDurableExecution, async (input): Promise<GetDurableExecutionOutput> => {
    const { DurableExecutionArn, IncludeExecutionData: withData = true } = input;
    const { execution, payloads } = await database.read(async (sql) => {
      const found = await getByArn(sql, settings, DurableExecutionArn);
      return {
        execution: found,
        payloads: withData ? await findPayloads(sql, found.id) : undefined,
      };
    });
    const { result, error } = payloads ?? {};
    const { traceHeader, timeoutSeconds, retentionDays, version } = execution;
    return {
      ...representExecution(settings, execution),
      ...(payloads ? { InputPayload: payloads.input } : {}),
      ...present({ Result: result }),
      ...(error ? { Error: error } : {}),
      Version: version,
      ...(traceHeader === undefined ? {} : { TraceHeader: { XAmznTraceId: traceHeader } }),
      ExecutionDataIncluded: withData,
      DurableConfig: { ExecutionTimeout: timeoutSeconds, RetentionPeriodInDays: retentionDays },
    };
  });
}

type GetDurableExecutionHistoryOutput = StructureOf<(typeof getDurableExecutionHistory)['output']>;

function serveGetDurableExecutionHistory({ database, settings }: FunctionPorts): OperationHandler {
  return bindOperation(
    getDurableExecutionHistory,
    async (input): Promise<GetDurableExecutionHistoryOutput> => {
      const { IncludeExecutionData: withData = true, ReverseOrder: newestFirst = false } = input;
      const after = readStateMarker(input.Marker);
      const { events, hasMore } = await database.read(async (sql) => {
        const execution = await getByArn(sql, settings, input.DurableExecutionArn);
        const bounds = { items: pageSize(input.MaxItems), size: pageCharacters };
        return listEvents(sql, execution.id, { newestFirst, after }, bounds);
      });
      const last = events.at(-1);
      return {
        Events: events.map((event) => representEvent(event, withData)),
        ...(hasMore && last ? { NextMarker: stateMarker(last.number) } : {}),
      };
    },
  );
}

type GetDurableExecutionStateOutput = StructureOf<(typeof getDurableExecutionState)['output']>;

function serveGetDurableExecutionState({ database, settings }: FunctionPorts): OperationHandler {
  return bindOperation(
    getDurableExecutionState,
    async (input): Promise<GetDurableExecutionStateOutput> => {
      const after = readStateMarker(input.Marker);
      const size = pageSize(input.MaxItems);
      return database.read(async (sql) => {
        const { DurableExecutionArn: arn, CheckpointToken: token } = input;
        const execution = await checkRunToken(sql, settings, { arn, token });
        const { id } = execution;
        const visible = visibleOperations(await outlineOperations(sql, id));
        const bounds = { items: size, size: pageCharacters };
        const page = pageOfState(visible, after ?? 0, bounds);
        const operations = await findOperations(sql, id, page.ids);
        const itself =
          after === undefined
            ? [representItself(execution, (await findPayloads(sql, id)).input)]
            : [];
        return {
          Operations: [...itself, ...operations.map(representOperation)],
          ...(page.next === undefined ? {} : { NextMarker: stateMarker(page.next) }),
        };
      });
    },
  );
}

type CheckpointDurableExecutionOutput = StructureOf<(typeof checkpointDurableExecution)['output']>;

function serveCheckpointDurableExecution(ports: FunctionPorts): OperationHandler {
  return bindOperation(
    checkpointDurableExecution,
    async (input): Promise<CheckpointDurableExecutionOutput> => {
      const { token, operations } = await checkpoint(ports, {
        arn: input.DurableExecutionArn,
        token: input.CheckpointToken,
        updates: input.Updates ?? [],
        clientToken: input.ClientToken,
      });
      return {
        CheckpointToken: token,
        NewExecutionState: { Operations: operations.map(representOperation) },
      };
    },
  );
}

type StopDurableExecutionOutput = StructureOf<(typeof stopDurableExecution)['output']>;

function serveStopDurableExecution(ports: FunctionPorts): OperationHandler {
  return bindOperation(
    stopDurableExecution,
    async ({ DurableExecutionArn, Error: error = {} }): Promise<StopDurableExecutionOutput> => {
      const stoppedAt = await stopExecution(ports, DurableExecutionArn, error);
      return { StopTimestamp: wireSeconds(stoppedAt) };
    },
  );
}

function serveSendDurableExecutionCallbackSuccess(ports: FunctionPorts): OperationHandler {
  return bindOperation(sendDurableExecutionCallbackSuccess, async ({ CallbackId, Result }) => {
    const result = Result === undefined ? {} : { result: Buffer.from(Result).toString() };
    await answerCallback(ports, CallbackId, { status: 'SUCCEEDED', ...result });
    return {};
  });
}

function serveSendDurableExecutionCallbackFailure(ports: FunctionPorts): OperationHandler {
  return bindOperation(
    sendDurableExecutionCallbackFailure,
    async ({ CallbackId, Error: error = {} }) => {
      checkErrorSize(error);
      await answerCallback(ports, CallbackId, { status: 'FAILED', error });
      return {};
    },
  );
}

function serveSendDurableExecutionCallbackHeartbeat(ports: FunctionPorts): OperationHandler {
  return bindOperation(sendDurableExecutionCallbackHeartbeat, async ({ CallbackId }) => {
    await extendCallback(ports, CallbackId);
    return {};
  });
}

/** An execution as an item of a list. */
function representExecution(
  accountRegion: AccountRegion,
  execution: Execution,
): StructureOf<typeof durableExecution> {
  const { functionName, version, name, status, startedAt, endedAt } = execution;
  return {
    DurableExecutionArn: executionArn(accountRegion, execution),
    DurableExecutionName: name,
    FunctionArn: functionArn(accountRegion, functionName, version),
    Status: status,
    StartTimestamp: wireSeconds(startedAt),
    ...(endedAt === undefined ? {} : { EndTimestamp: wireSeconds(endedAt) }),
  };
}
