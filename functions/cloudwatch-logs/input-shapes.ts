/** Members that several operations of CloudWatch Logs take, with the constraints of its model. */
import { integer, list, optional, required, string, structure } from '#functions-contract/shape.ts';

const groupPattern = String.raw`[\.\-_/#A-Za-z0-9]+`;

export const groupName = string({ min: 1, max: 512, pattern: groupPattern });
/** A name or an ARN. */
export const groupIdentifier = string({ min: 1, max: 2048, pattern: String.raw`[\w#+=/:,.@-]*` });
export const streamName = string({ min: 1, max: 512, pattern: '[^:*]*' });

export const ofGroup = {
  logGroupName: optional(groupName, 'Name of the log group.'),
  logGroupIdentifier: optional(groupIdentifier, 'Name or ARN of the log group.'),
};

/** Epoch milliseconds. */
const moment = { type: 'long', min: 0 } as const;

export const between = {
  startTime: optional(moment, 'Leaves out what came before.'),
  endTime: optional(moment, 'Leaves out what came after.'),
};

export const nextToken = optional(string({ min: 1 }), 'Asks for the next page.');

export const limitUpTo = (max: number) => optional(integer({ min: 1, max }), 'Items of a page.');

export { integer, list, optional, required, string, structure };
