import type { Message, MessageAttribute } from '../configured-resources/endpoint-request.ts';
import { findJsonFault } from '../json/find-json-fault.ts';
import { parseQuickly } from '../json/structure-bytes.ts';
import { functionArn, type AccountRegion } from '../model/function-name.ts';
import { latest } from '../configuration/function-record.ts';
import { presentableTraceHeader } from '../logs/trace-header.ts';
import type { Condition, EventRefusal, EventResult } from './decide-event.ts';
import type { EventHandling, StoredEvent } from './event.ts';
import type { OutboxMessage } from './outbox-store.ts';

/** An event that will not be retried, and the outcome of its last attempt. */
export interface FinishedEvent {
  readonly event: StoredEvent;
  readonly condition: Condition;
  readonly attempts: number;
  readonly result: EventResult | undefined;
  readonly refusal: EventRefusal | undefined;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** The messages about an event: to its destination, and if it failed also to the function's dead-letter target. */
export function outboxMessages(
  finished: FinishedEvent,
  handling: EventHandling,
  deadLetterArn: string | undefined,
  accountRegion: AccountRegion,
): OutboxMessage[] {
  const succeeded = finished.condition === 'Success';
  const destination = succeeded ? handling.onSuccess : handling.onFailure;
  const messages: OutboxMessage[] = [];
  if (destination !== undefined) {
    messages.push({ target: destination, message: destinationRecord(finished, accountRegion) });
  }
  if (!succeeded && deadLetterArn !== undefined && deadLetterArn !== '') {
    messages.push({ target: deadLetterArn, message: deadLetter(finished, accountRegion) });
  }
  return messages;
}

/** Members in the recorded order. */
function destinationRecord(finished: FinishedEvent, accountRegion: AccountRegion): Message {
  const { event, condition, attempts, result, at } = finished;
  const arn = invokedArn(event, accountRegion);
  const record = {
    version: JSON.stringify('1.0'),
    timestamp: JSON.stringify(new Date(at).toISOString()),
    requestContext: JSON.stringify({
      requestId: event.requestId,
      functionArn: arn,
      condition,
      approximateInvokeCount: attempts,
    }),
    requestPayload: jsonIn(event.payload),
    ...(result && {
      responseContext: JSON.stringify({
        statusCode: 200,
        executedVersion: result.version,
        ...(result.failed ? { functionError: 'Unhandled' } : {}),
      }),
      responsePayload: jsonIn(Buffer.from(result.payload).toString()),
    }),
  };
  const members = Object.entries(record).map(([name, json]) => `${JSON.stringify(name)}:${json}`);
  return {
    id: event.requestId,
    body: `{${members.join(',')}}`,
    attributes: {},
    ...eventFields(condition, arn),
    ...tracedBy(finished),
  };
}

/** Error text in an attribute of a message to a dead letter target. */
const errorCharactersMax = 1024;

/** The event as received; the attributes contain the error. */
function deadLetter(finished: FinishedEvent, accountRegion: AccountRegion): Message {
  const { event, condition, result, refusal } = finished;
  const error = result
    ? { status: 200, message: errorMessageIn(result.payload) }
    : (refusal ?? { status: 500, message: condition });
  const attributes: Record<string, MessageAttribute> = {
    RequestID: { type: 'String', value: event.requestId },
    ErrorCode: { type: 'Number', value: String(error.status) },
  };
  if (error.message !== '') {
    attributes['ErrorMessage'] = {
      type: 'String',
      value: error.message.slice(0, errorCharactersMax),
    };
  }
  return {
    id: event.requestId,
    body: event.payload,
    attributes,
    ...eventFields(condition, invokedArn(event, accountRegion)),
    ...tracedBy(finished),
  };
}

function eventFields(condition: Condition, arn: string): Pick<Message, 'detailType' | 'resources'> {
  const outcome = condition === 'Success' ? 'Success' : 'Failure';
  return { detailType: `Lambda Function Invocation Result - ${outcome}`, resources: [arn] };
}

function tracedBy({ event, result }: FinishedEvent): Pick<Message, 'traceHeader'> {
  const carried = result?.traceHeader ?? event.traceHeader;
  const traceHeader = carried === undefined ? undefined : presentableTraceHeader(carried);
  return traceHeader === undefined ? {} : { traceHeader };
}

function invokedArn(
  { functionName, qualifier = latest }: StoredEvent,
  accountRegion: AccountRegion,
): string {
  return functionArn(accountRegion, functionName, qualifier);
}

/**
 * A payload as it was written: JSON.stringify may overflow the stack with a value that JSON.parse has made. Custom runtimes may
 * respond with anything: what is not JSON is reported as a string.
 */
function jsonIn(text: string): string {
  return findJsonFault(Buffer.from(text)) === undefined ? text : JSON.stringify(text);
}

function errorMessageIn(payload: Uint8Array): string {
  try {
    const error = parseQuickly(payload);
    return typeof error === 'object' && error !== null && 'errorMessage' in error
      ? String(error.errorMessage)
      : '';
  } catch {
    // Not JSON, or a value that cannot be converted to text.
    return '';
  }
}
