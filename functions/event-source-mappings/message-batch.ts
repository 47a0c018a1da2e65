import { isObject } from '../json/is-object.ts';
import { parseQuickly } from '../json/structure-bytes.ts';
import { bodyPattern, parseEventPattern, type EventPattern } from './event-pattern.ts';
import type { EventSourceMapping } from './event-source-mapping.ts';
import type { QueueMessage } from './queue-client.ts';

/** The event of messages of a queue, as functions receive it. */
export function batchEvent(arn: string, messages: readonly QueueMessage[]): Buffer {
  return Buffer.from(
    JSON.stringify({ Records: messages.map((message) => recordOf(arn, message)) }),
  );
}

/** Bytes of a message in the event, with its comma. */
export function recordBytes(arn: string, message: QueueMessage): number {
  return Buffer.byteLength(JSON.stringify(recordOf(arn, message))) + 1;
}

function recordOf(arn: string, message: QueueMessage): Readonly<Record<string, unknown>> {
  return {
    messageId: message.id,
    receiptHandle: message.receiptHandle,
    body: message.body,
    attributes: message.attributes,
    messageAttributes: Object.fromEntries(
      Object.entries(message.messageAttributes).map(([name, value]) => [name, attributeOf(value)]),
    ),
    md5OfMessageAttributes: message.attributesDigest,
    md5OfBody: message.bodyDigest,
    eventSource: 'aws:sqs',
    eventSourceARN: arn,
    awsRegion: arn.split(':')[3],
  };
}

function attributeOf(value: unknown): Readonly<Record<string, unknown>> {
  const { StringValue, BinaryValue, DataType } = isObject(value) ? value : {};
  return {
    stringValue: StringValue,
    binaryValue: BinaryValue,
    stringListValues: [],
    binaryListValues: [],
    dataType: DataType,
  };
}

/**
 * Commas of a message times rules of the filters; messages with more stay in the queue: comparing them would hold up everything
 * else that the server does.
 */
const comparisonsMax = 5_000_000;

/** Whether a message invokes the function: at least one pattern matches it, or there is none. */
export type MessageFilter = (message: QueueMessage) => 'invoke' | 'skip' | 'too-costly';

export function messageFilter({
  eventSourceArn,
  filters,
}: Pick<EventSourceMapping, 'eventSourceArn' | 'filters'>): MessageFilter {
  if (filters.length === 0) return () => 'invoke';
  const rules = occurrences(filters.join(), /[,[{]/g);
  const patterns = filters.map((text) => {
    const matches = parseEventPattern(text);
    if (!matches) throw new Error('A stored filter is no pattern.');
    return { matches, body: bodyPattern(text) };
  });
  return (message) => {
    // No rule meets a value of a list more than once.
    if (rules * (occurrences(message.body, /,/g) + 1) > comparisonsMax) return 'too-costly';
    const record = recordOf(eventSourceArn, message);
    const parsed = parsedBody(message.body);
    const isMatch = patterns.some((pattern) => matchesRecord(pattern, record, parsed));
    return isMatch ? 'invoke' : 'skip';
  };
}

function occurrences(text: string, character: RegExp): number {
  return text.match(character)?.length ?? 0;
}

/** A pattern of fields looks into a body that is JSON; a pattern of texts takes the body as it is, unless it is a JSON object. */
function matchesRecord(
  { matches, body }: { readonly matches: EventPattern; readonly body: 'none' | 'text' | 'json' },
  record: Readonly<Record<string, unknown>>,
  parsed: unknown,
): boolean {
  if (body === 'json') return isObject(parsed) && matches({ ...record, body: parsed });
  return (body === 'none' || !isObject(parsed)) && matches(record);
}

/** Undefined for a body that is no JSON. */
function parsedBody(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // Many messages are plain text.
    return undefined;
  }
}

/**
 * The messages that the function did not process, as its response names them. A response that names none of the batch, or cannot be
 * understood, fails the whole batch, as AWS does; an empty one fails none.
 */
export function failedMessages(
  messages: readonly QueueMessage[],
  response: Uint8Array,
): readonly QueueMessage[] {
  let answer: unknown;
  try {
    answer = response.length === 0 ? null : parseQuickly(response);
  } catch {
    return messages;
  }
  if (answer === null) return [];
  const failures = isObject(answer) ? (answer['batchItemFailures'] ?? []) : [];
  if (!Array.isArray(failures)) return messages;
  const known = new Set(messages.map(({ id }) => id));
  const failed = new Set<string>();
  for (const failure of failures) {
    const id: unknown = isObject(failure) ? failure['itemIdentifier'] : undefined;
    if (typeof id !== 'string' || !known.has(id)) return messages;
    failed.add(id);
  }
  // A queue may deliver a message twice.
  return messages.filter(({ id }) => failed.has(id));
}
