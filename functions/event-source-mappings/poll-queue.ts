import { setImmediate, setTimeout as delay } from 'node:timers/promises';

import { invokeRequestBytesMax } from '#functions-contract/limits.ts';
import { present } from '#platform/present.ts';

import type { ConfiguredResources } from '../configured-resources/configured-resources.ts';
import { runToEnd } from '../durable-executions/invoke-durable.ts';
import type { DurableExecutions } from '../durable-executions/executions.ts';
import { wholeOutcome } from '../environments/execution-environment.ts';
import { FunctionsError } from '../errors/functions-error.ts';
import type { RunPorts } from '../invocation/run-function.ts';
import { functionArn } from '../model/function-name.ts';
import type { SystemPorts } from '../ports/system-ports.ts';
import { isFifo, type EventSourceMapping } from './event-source-mapping.ts';
import { recordResult } from './event-source-mapping-store.ts';
import {
  batchEvent,
  failedMessages,
  messageFilter,
  type MessageFilter,
  recordBytes,
} from './message-batch.ts';
import {
  deleteMessages,
  messagesOfRequestMax,
  receiveMessages,
  type Queue,
  type QueueMessage,
} from './queue-client.ts';

export interface PollPorts
  extends RunPorts, Pick<SystemPorts, 'database' | 'random' | 'settings' | 'homes'> {
  readonly durable: DurableExecutions;
  readonly configured: Pick<ConfiguredResources, 'targets' | 'refresh'>;
  /** The pause after a failure; it doubles with each that follows. */
  readonly pauseMilliseconds: number;
  /** Receives internal errors of invocations. */
  readonly onError: (error: unknown) => void;
}

/** The end of the event of a batch: `{"Records":[]}`. */
const envelopeBytes = 14;
/** Invocations of an event source mapping at once, unless it says otherwise. */
const concurrencyDefault = 5;
/** Time that an empty queue may hold a request. */
const waitSecondsMax = 20;
/** First pause after a failed batch of messages; each further one is twice as long. */
export const usualPauseMilliseconds = 1000;
/** Longest pause after a failed batch of messages. */
const pauseMillisecondsMax = 60_000;

/**
 * Receives from the queue of a mapping and invokes its function, until `stop`: then batches in progress still end. A message is deleted
 * once the function has processed it; every other comes again when the queue's visibility timeout is over.
 */
export async function pollQueue(
  ports: PollPorts,
  mapping: EventSourceMapping,
  stop: AbortSignal,
): Promise<void> {
  const poll: Poll = { ports, mapping, stop, filter: messageFilter(mapping) };
  const concurrency = mapping.maximumConcurrency ?? concurrencyDefault;
  const running = new Set<Promise<void>>();
  const result = resultRecorder(ports, mapping);
  let failures = 0;
  let isUnreachable = false;
  let received: readonly QueueMessage[] = [];

  const finish = async (problem: string | undefined): Promise<void> => {
    failures = problem === undefined ? 0 : failures + 1;
    await result(problem);
  };
  while (!stop.aborted) {
    if (running.size >= concurrency) {
      await Promise.race(running);
      continue;
    }
    // What fails would only be received and fail again at once.
    if (failures > 0) await pause(ports.pauseMilliseconds * 2 ** (failures - 1), stop);
    try {
      const gathered = await gatherBatch(poll, received);
      received = gathered.rest;
      if (isUnreachable) await finish(undefined);
      isUnreachable = false;
      if (gathered.batch.length === 0) {
        failures = 0;
        continue;
      }
      const processed = processBatch(poll, gathered.batch);
      const work = processed
        .then(finish)
        .catch(ports.onError)
        .finally(() => running.delete(work));
      running.add(work);
      // Otherwise the rest could overtake messages of its groups that are before it.
      if (isFifo(mapping) && received.length > 0 && (await processed) !== undefined) received = [];
    } catch (error) {
      if (stop.aborted) break;
      isUnreachable = true;
      await finish(`PROBLEM: ${reasonOf(error)}`).catch(ports.onError);
    }
  }
  await Promise.all(running);
}

interface Poll {
  readonly ports: PollPorts;
  readonly mapping: EventSourceMapping;
  readonly stop: AbortSignal;
  readonly filter: MessageFilter;
}

/** The next batch: full, of the size that an invocation takes, or what came within the window. `rest` belongs to the next one. */
async function gatherBatch(
  { ports, mapping, stop }: Poll,
  first: readonly QueueMessage[],
): Promise<{ batch: readonly QueueMessage[]; rest: readonly QueueMessage[] }> {
  const { batchSize, windowSeconds, eventSourceArn: arn } = mapping;
  const batch: QueueMessage[] = [];
  let bytes = envelopeBytes;
  let end: number | undefined;
  let waiting = first;
  for (;;) {
    for (const [index, message] of waiting.entries()) {
      bytes += recordBytes(arn, message);
      if (batch.length > 0 && bytes > invokeRequestBytesMax) {
        return { batch, rest: waiting.slice(index) };
      }
      batch.push(message);
    }
    const missing = batchSize - batch.length;
    end ??= batch.length > 0 ? performance.now() + windowSeconds * 1000 : undefined;
    const left = end === undefined ? Infinity : Math.ceil((end - performance.now()) / 1000);
    if (missing <= 0 || (batch.length > 0 && left <= 0)) return { batch, rest: [] };
    const waitSeconds = Math.min(left, waitSecondsMax);
    const asked = performance.now();
    try {
      await ports.configured.refresh?.();
      waiting = await receiveMessages(
        { queue: queueOf(ports, arn), arn, now: ports.clock.now(), signal: stop },
        { count: Math.min(missing, messagesOfRequestMax), waitSeconds },
      );
      const isHeld = performance.now() - asked > waitSeconds * 500;
      // Not every queue holds a request until there is a message.
      if (waiting.length === 0 && !isHeld) await pause(ports.pauseMilliseconds, stop);
    } catch (error) {
      if (batch.length === 0) throw error;
      return { batch, rest: [] };
    }
    if (waiting.length === 0 && batch.length === 0) return { batch, rest: [] };
  }
}

/** The problem, if there was one, as LastProcessingResult reports it. */
async function processBatch(
  { ports, mapping, filter }: Poll,
  batch: readonly QueueMessage[],
): Promise<string | undefined> {
  const { invoke = [], skip = [], 'too-costly': refused } = await filtered(filter, batch);
  const { done, problem } =
    invoke.length === 0 ? { done: [] } : await invokeFor(ports, mapping, invoke);
  const finished = [...skip, ...done];
  const { eventSourceArn: arn } = mapping;
  try {
    // Not ended by a stop: what was processed must not come again.
    await deleteMessages({ queue: queueOf(ports, arn), arn, now: ports.clock.now() }, finished);
  } catch (error) {
    return `PROBLEM: ${reasonOf(error)}`;
  }
  return refused ? 'PROBLEM: A message has too many values for the filters' : problem;
}

/** One message in a turn of the event loop. */
async function filtered(
  filter: MessageFilter,
  batch: readonly QueueMessage[],
): Promise<Partial<Record<ReturnType<MessageFilter>, QueueMessage[]>>> {
  const found: Partial<Record<ReturnType<MessageFilter>, QueueMessage[]>> = {};
  for (const message of batch) {
    (found[filter(message)] ??= []).push(message);
    await setImmediate();
  }
  return found;
}

interface Processed {
  /** What need not come again. */
  readonly done: readonly QueueMessage[];
  readonly problem?: string;
}

async function invokeFor(
  ports: PollPorts,
  mapping: EventSourceMapping,
  messages: readonly QueueMessage[],
): Promise<Processed> {
  const { functionName: name, qualifier, eventSourceArn } = mapping;
  try {
    const target = await ports.targets.find({ name, qualifier });
    if (!target) return { done: [], problem: 'PROBLEM: Function not found' };
    const { outcome } = await runToEnd(ports, target, {
      requestId: ports.random.id(),
      functionArn: functionArn(ports.settings, name, qualifier),
      payload: batchEvent(eventSourceArn, messages),
      ...present({ traceHeader: traceHeaderOf(messages) }),
    });
    const { kind, payload } = await wholeOutcome(outcome);
    if (kind === 'failed') return { done: [], problem: 'PROBLEM: Function call failed' };
    if (!mapping.reportsFailures) return { done: messages };
    const failed = failedMessages(messages, payload);
    if (failed.length === 0) return { done: messages };
    return {
      done: messages.filter((message) => !failed.includes(message)),
      problem: 'PROBLEM: Function call failed',
    };
  } catch (error) {
    if (!(error instanceof FunctionsError)) ports.onError(error);
    const reason = error instanceof FunctionsError ? error.message : 'Internal error';
    return { done: [], problem: `PROBLEM: ${reason}` };
  }
}

/** Messages that functions sent have the lineage that they continue. */
function traceHeaderOf(messages: readonly QueueMessage[]): string | undefined {
  return messages.find(({ attributes }) => attributes['AWSTraceHeader'] !== undefined)?.attributes[
    'AWSTraceHeader'
  ];
}

function queueOf({ configured }: PollPorts, arn: string): Queue {
  const queue = configured.targets.get(arn);
  if (queue?.kind === 'endpoint') return queue;
  throw new Error('The queue is not declared on this server with an endpoint.');
}

/** Writes a result only if it is another one than the last. */
function resultRecorder(
  { database }: PollPorts,
  { id, lastResult }: EventSourceMapping,
): (problem: string | undefined) => Promise<void> {
  let last = lastResult;
  return async (problem) => {
    const next = problem ?? 'OK';
    if (next === last) return;
    last = next;
    await database.write((sql) => recordResult(sql, id, next));
  };
}

/** At most a minute; cut short by the stop. */
async function pause(milliseconds: number, stop: AbortSignal): Promise<void> {
  try {
    await delay(Math.min(milliseconds, pauseMillisecondsMax), undefined, { signal: stop });
  } catch (error) {
    if (!stop.aborted) throw error;
  }
}

/** What the network said is the cause of what fetch says. Of an endpoint of the operator, so callers do not see its address. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'The queue did not respond.';
  if (error.name === 'TimeoutError' || error.message === 'fetch failed') {
    return 'The queue did not respond.';
  }
  return error.message;
}
