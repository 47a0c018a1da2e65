import type { EventTarget } from '../configured-resources/configured-resources.ts';
import { awsJson, queueUrl } from '../configured-resources/endpoint-request.ts';
import { isObject } from '../json/is-object.ts';
import { signRequest } from '../signing/sign-request.ts';

/** A queue of the operator that can be received from. */
export type Queue = Extract<EventTarget, { kind: 'endpoint' }>;

/** A message as the queue gives it; members that it lacks are absent. */
export interface QueueMessage {
  readonly id: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly bodyDigest: string | undefined;
  readonly attributes: Readonly<Record<string, string>>;
  readonly messageAttributes: Readonly<Record<string, unknown>>;
  readonly attributesDigest: string | undefined;
}

interface Call {
  readonly queue: Queue;
  readonly arn: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly signal?: AbortSignal;
}

/** Messages that one request to a queue receives or deletes. */
export const messagesOfRequestMax = 10;
/** Response of a queue: ten messages of a megabyte, in JSON. */
const answerBytesMax = 64 * 1024 * 1024;
/** Time that a queue has to answer, beyond the time that it may hold a request. */
const requestMilliseconds = 10_000;

/** How long a message that was received stays hidden from others; undefined if the queue does not say. */
export async function visibilitySeconds(call: Call): Promise<number | undefined> {
  const answer = await request(call, 'GetQueueAttributes', {
    AttributeNames: ['VisibilityTimeout'],
  });
  const attributes = answer['Attributes'];
  const text = isObject(attributes) ? attributes['VisibilityTimeout'] : undefined;
  return typeof text === 'string' && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** Up to `count` messages, after at most that many seconds; none is no error. */
export async function receiveMessages(
  call: Call,
  { count, waitSeconds }: { readonly count: number; readonly waitSeconds: number },
): Promise<QueueMessage[]> {
  const input = {
    MaxNumberOfMessages: count,
    WaitTimeSeconds: waitSeconds,
    MessageAttributeNames: ['All'],
    MessageSystemAttributeNames: ['All'],
    // What queues knew before the member above.
    AttributeNames: ['All'],
  };
  const answer = await request(call, 'ReceiveMessage', input, waitSeconds * 1000);
  const messages: unknown = answer['Messages'];
  if (messages === undefined || messages === null) return [];
  if (!Array.isArray(messages)) throw malformed('ReceiveMessage');
  return messages.map(messageOf);
}

/** Throws if one of them was not deleted: it comes again. */
export async function deleteMessages(call: Call, messages: readonly QueueMessage[]): Promise<void> {
  for (let start = 0; start < messages.length; start += messagesOfRequestMax) {
    const part = messages.slice(start, start + messagesOfRequestMax);
    const answer = await request(call, 'DeleteMessageBatch', {
      Entries: part.map(({ receiptHandle }, index) => ({
        Id: String(index),
        ReceiptHandle: receiptHandle,
      })),
    });
    const failed: unknown = answer['Failed'];
    if (Array.isArray(failed) && failed.length > 0) {
      throw new Error(`The queue did not delete ${failed.length} of ${part.length} messages.`);
    }
  }
}

async function request(
  { queue, arn, now, signal }: Call,
  operation: string,
  input: object,
  patienceMilliseconds = 0,
): Promise<Readonly<Record<string, unknown>>> {
  const region = arn.split(':')[3] ?? '';
  const { headers, body } = awsJson(`AmazonSQS.${operation}`, '1.0', {
    QueueUrl: queueUrl(queue.url, arn),
    ...input,
  });
  const key = queue.key?.reveal();
  const post = { method: 'POST', url: queue.url, headers, body };
  const timeout = AbortSignal.timeout(patienceMilliseconds + requestMilliseconds);
  const answer = await fetch(queue.url, {
    method: 'POST',
    headers: key ? signRequest(post, { key, region, service: 'sqs', now }) : headers,
    body,
    redirect: 'manual',
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  });
  const text = await limitedText(answer);
  if (!answer.ok) throw new Error(`The queue answered ${operation} with ${answer.status}.`);
  // DeleteMessageBatch of some queues answers nothing.
  const parsed = text === '' ? {} : parsedResponse(text);
  if (!isObject(parsed)) throw malformed(operation);
  return parsed;
}

/** Undefined for what is no JSON: the error of the parser quotes it, which callers must not see. */
function parsedResponse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function limitedText({ body }: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body ?? []) {
    length += piece.length;
    if (length > answerBytesMax) throw new Error('The answer of the queue is too long.');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

function messageOf(value: unknown): QueueMessage {
  if (!isObject(value)) throw malformed('ReceiveMessage');
  const { MessageId, ReceiptHandle, Body, Attributes, MessageAttributes } = value;
  if (
    typeof MessageId !== 'string' ||
    typeof ReceiptHandle !== 'string' ||
    typeof Body !== 'string'
  ) {
    throw malformed('ReceiveMessage');
  }
  return {
    id: MessageId,
    receiptHandle: ReceiptHandle,
    body: Body,
    bodyDigest: textOf(value['MD5OfBody']),
    attributes: Object.fromEntries(
      Object.entries(isObject(Attributes) ? Attributes : {}).map(([name, each]) => [
        name,
        String(each),
      ]),
    ),
    messageAttributes: isObject(MessageAttributes) ? MessageAttributes : {},
    attributesDigest: textOf(value['MD5OfMessageAttributes']),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function malformed(operation: string): Error {
  return new Error(`The queue answered ${operation} with what is no answer to it.`);
}
