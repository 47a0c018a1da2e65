import type { Message } from './message.ts';
import type { Posted } from './post.ts';

/** A message in the protocol of the service that its ARN names: a queue, an event bus, else a topic. */
export function endpointRequest(url: string, arn: string, message: Message): Posted {
  const service = arn.split(':')[2];
  if (service === 'sqs') return sendMessage(url, arn, message);
  return service === 'events' ? putEvents(arn, message) : publish(arn, message);
}

function sendMessage(url: string, arn: string, message: Message): Posted {
  const { body, attributes, traceHeader } = message;
  const [, , , , account = '', queue = ''] = arn.split(':');
  return json('AmazonSQS.SendMessage', '1.0', {
    QueueUrl: `${url.replace(/\/+$/, '')}/${account}/${queue}`,
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
  return json('AWSEvents.PutEvents', '1.1', {
    Entries: [
      {
        Source: 'lambda',
        DetailType: detailType,
        Detail: body,
        Resources: [arn, ...resources],
        EventBusName: arn,
        ...(traceHeader === undefined ? {} : { TraceHeader: traceHeader }),
      },
    ],
  });
}

function json(operation: string, version: string, body: object): Posted {
  return {
    headers: { 'content-type': `application/x-amz-json-${version}`, 'x-amz-target': operation },
    body: JSON.stringify(body),
  };
}
