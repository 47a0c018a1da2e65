import { present } from '#platform/present.ts';

/** A message in the protocol of the service that its ARN names: a queue, an event bus, else a topic. */
export function endpointRequest(url: string, arn: string, message: Message): Posted {
  const service = arn.split(':')[2];
  if (service === 'sqs') return sendMessage(url, arn, message);
  return service === 'events' ? putEvents(arn, message) : publish(arn, message);
}

function sendMessage(url: string, arn: string, message: Message): Posted {
  const { body, attributes, traceHeader } = message;
  return awsJson('AmazonSQS.SendMessage', '1.0', {
    QueueUrl: queueUrl(url, arn),
    MessageBody: body,
    MessageAttributes: Object.fromEntries(
      Object.entries(attributes).map(([name, { type, value }]) => [
        name,
        { DataType: type, StringValue: value },
      ]),
    ),
    // A queue stores the header of a request only under this name.
    ...(traceHeader === undefined
      ? {}
      : {
          MessageSystemAttributes: {
            AWSTraceHeader: { DataType: 'String', StringValue: traceHeader },
          },
        }),
  });
}

/** The URL of a queue at its endpoint. */
export function queueUrl(endpoint: string, arn: string): string {
  const [, , , , account = '', queue = ''] = arn.split(':');
  return `${endpoint.replace(/\/+$/, '')}/${account}/${queue}`;
}

/** Topics have the older protocol only: a form. */
function publish(arn: string, { body, attributes }: Message): Posted {
  const form = new URLSearchParams({
    Action: 'Publish',
    Version: '2010-03-31',
    TopicArn: arn,
    Message: body,
  });
  for (const [index, [name, { type, value }]] of Object.entries(attributes).entries()) {
    const entry = `MessageAttributes.entry.${index + 1}`;
    form.set(`${entry}.Name`, name);
    form.set(`${entry}.Value.DataType`, type);
    form.set(`${entry}.Value.StringValue`, value);
  }
  return {
    headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
    body: form.toString(),
  };
}

function putEvents(arn: string, message: Message): Posted {
  const { body, detailType, resources, traceHeader } = message;
  return awsJson('AWSEvents.PutEvents', '1.1', {
    Entries: [
      {
        Source: 'lambda',
        DetailType: detailType,
        Detail: body,
        Resources: [arn, ...resources],
        EventBusName: arn,
        ...present({ TraceHeader: traceHeader }),
      },
    ],
  });
}

/** A request of the protocol AWS JSON: what the service of an endpoint should do. */
export function awsJson(operation: string, version: string, body: object): Posted {
  return {
    headers: { 'content-type': `application/x-amz-json-${version}`, 'x-amz-target': operation },
    body: JSON.stringify(body),
  };
}

/** A message to a queue, a topic, an event bus or a function. */
export interface Message {
  /** The same at every attempt, so that a receiver can detect duplicates. */
  readonly id: string;
  readonly body: string;
  readonly attributes: Readonly<Record<string, MessageAttribute>>;
  /** The DetailType on an event bus. */
  readonly detailType: string;
  /** ARNs that it is about. */
  readonly resources: readonly string[];
  /** The trace of its origin, by which a loop through the receiver can be detected. */
  readonly traceHeader?: string;
}

export interface MessageAttribute {
  readonly type: 'String' | 'Number';
  readonly value: string;
}

export interface Posted {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Time that a configured target has to answer; one that takes longer has not accepted the request. */
const timeoutMilliseconds = 10_000;

/** Posts, and throws unless it was accepted. Redirects are not followed, and the response body is not read. */
export async function post(
  url: string,
  { headers, body }: Posted,
  signal: AbortSignal,
): Promise<void> {
  const timeout = AbortSignal.timeout(timeoutMilliseconds);
  let answer: Response;
  try {
    answer = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeout]),
    });
  } catch (error) {
    throw new Error(`${url} did not respond: ${reasonOf(error)}`, { cause: error });
  }
  await answer.body?.cancel();
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}.`);
}

export async function postJson(url: string, body: string, signal: AbortSignal): Promise<void> {
  await post(url, jsonRequest(body), signal);
}

export function jsonRequest(body: string): Posted {
  return { headers: { 'content-type': 'application/json' }, body };
}

/** What the network said is the cause of what fetch says. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
