import { present } from '#platform/present.ts';

import type { QueueSettings } from './template.ts';
import type { TemplateValues, Value } from './template-values.ts';

/**
 * Reads the events of a function that are queues. Every other event is refused.
 * https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-property-function-sqs.html
 */
export function readQueues(values: TemplateValues, events: Value | undefined): QueueSettings[] {
  if (!events) return [];
  const queues: QueueSettings[] = [];
  const arns = new Set<string>();
  for (const { key, value } of values.entries(events)) {
    const queue = readEvent(values, key, value);
    if (!queue) continue;
    // A queue invokes a function by one mapping.
    if (arns.has(queue.EventSourceArn)) values.refuse(value, 'another event has this queue.');
    arns.add(queue.EventSourceArn);
    queues.push(queue);
  }
  return queues;
}

function readEvent(
  values: TemplateValues,
  eventName: string,
  event: Value,
): QueueSettings | undefined {
  let properties: Value | undefined;
  let type: string | undefined;
  for (const { key, value } of values.entries(event)) {
    if (key === 'Type') type = values.text(value);
    else if (key === 'Properties') properties = value;
    else values.refuse(value, 'this property is not supported.');
  }
  if (type === 'SQS') return readQueue(values, eventName, properties ?? event);
  values.refuse(
    event,
    type === 'Api' || type === 'HttpApi'
      ? 'there is no API Gateway on this server. Remove it, and use FunctionUrlConfig.'
      : 'deploy supports no events but those of type SQS. Remove it.',
  );
  return undefined;
}

function readQueue(
  values: TemplateValues,
  eventName: string,
  properties: Value,
): QueueSettings | undefined {
  const settings: Record<string, unknown> = {};
  let arn: string | undefined;
  for (const { key, value } of values.entries(properties)) {
    if (key === 'Queue') arn = values.text(value);
    else if (key === 'Enabled') settings[key] = values.boolean(value);
    else if (key === 'BatchSize' || key === 'MaximumBatchingWindowInSeconds') {
      settings[key] = values.integer(value);
    } else if (key === 'FunctionResponseTypes') {
      settings[key] = values.list(value, (item) => values.text(item));
    } else if (key === 'FilterCriteria') {
      settings[key] = { Filters: readFilters(values, values.onlyMember(value, 'Filters')) };
    } else if (key === 'ScalingConfig') {
      const member = values.onlyMember(value, 'MaximumConcurrency');
      settings[key] = present({ MaximumConcurrency: member && values.integer(member) });
    } else values.refuse(value, 'this property is not supported.');
  }
  if (arn === undefined) {
    values.refuse(properties, 'Queue is missing: the ARN of a queue that is declared.');
    return undefined;
  }
  return { eventName, EventSourceArn: arn, settings };
}

function readFilters(values: TemplateValues, filters: Value | undefined): { Pattern: string }[] {
  if (!filters) return [];
  return values.list(filters, (item) => {
    const pattern = values.onlyMember(item, 'Pattern');
    const Pattern = pattern && values.text(pattern);
    return Pattern === undefined ? undefined : { Pattern };
  });
}
