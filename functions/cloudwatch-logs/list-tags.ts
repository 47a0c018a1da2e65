import { groupIdentifier, groupName, required, structure } from './input-shapes.ts';
import { requireGroup } from './log-group.ts';
import { logsOperation, type LogsOperation, type LogsPorts } from './logs-operation.ts';

/** Log groups have no tags here; Terraform asks for them. */
export function listTagsForResource(ports: LogsPorts): LogsOperation {
  const input = structure({ resourceArn: required(groupIdentifier, 'ARN of the log group.') });
  return logsOperation('ListTagsForResource', input, async ({ resourceArn }) => {
    await requireGroup(ports, { logGroupIdentifier: resourceArn });
    return { tags: {} };
  });
}

/** The older way to ask the same. */
export function listTagsLogGroup(ports: LogsPorts): LogsOperation {
  const input = structure({ logGroupName: required(groupName, 'Name of the log group.') });
  return logsOperation('ListTagsLogGroup', input, async (named) => {
    await requireGroup(ports, named);
    return { tags: {} };
  });
}
