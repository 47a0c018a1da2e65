import { describeLogGroups, describeLogStreams } from './describe-logs.ts';
import { filterLogEvents } from './filter-log-events.ts';
import { getLogEvents } from './get-log-events.ts';
import { requireGroup } from './log-group.ts';
import {
  type LogsOperation,
  type LogsPorts,
  groupIdentifier,
  groupName,
  required,
  structure,
  logsOperation,
} from './logs-operation.ts';
import { startLiveTail } from './start-live-tail.ts';

/** Every operation of CloudWatch Logs that is served: those that read. */
export function logsOperations(ports: LogsPorts): ReadonlyMap<string, LogsOperation> {
  const operations = [
    filterLogEvents,
    getLogEvents,
    describeLogGroups,
    describeLogStreams,
    startLiveTail,
    listTagsForResource,
    listTagsLogGroup,
  ].map((operation) => operation(ports));
  return new Map(operations.map((operation) => [operation.name, operation]));
}

/** Log groups have no tags here; Terraform asks for them. */
function listTagsForResource(ports: LogsPorts): LogsOperation {
  const input = structure({ resourceArn: required(groupIdentifier, 'ARN of the log group.') });
  return logsOperation('ListTagsForResource', input, async ({ resourceArn }) => {
    await requireGroup(ports, { logGroupIdentifier: resourceArn });
    return { tags: {} };
  });
}

/** The deprecated form of the same operation. */
function listTagsLogGroup(ports: LogsPorts): LogsOperation {
  const input = structure({ logGroupName: required(groupName, 'Name of the log group.') });
  return logsOperation('ListTagsLogGroup', input, async (named) => {
    await requireGroup(ports, named);
    return { tags: {} };
  });
}
