import { describeLogGroups } from './describe-log-groups.ts';
import { describeLogStreams } from './describe-log-streams.ts';
import { filterLogEvents } from './filter-log-events.ts';
import { getLogEvents } from './get-log-events.ts';
import { listTagsForResource, listTagsLogGroup } from './list-tags.ts';
import type { LogsOperation, LogsPorts } from './logs-operation.ts';
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
