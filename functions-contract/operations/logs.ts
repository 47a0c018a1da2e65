import { operation } from '../operation.ts';
import { namespacedFunctionName } from '../shapes/names.ts';
import {
  inPath,
  inQuery,
  integer,
  list,
  long,
  optional,
  required,
  structure,
  text,
} from '../shape.ts';

/** An operation of this service only: on AWS, logs are in CloudWatch Logs. */
export const getFunctionLogs = operation({
  name: 'GetFunctionLogs',
  description: "Lists the lines of a function's log group, oldest first.",
  method: 'GET',
  path: '/2015-03-31/functions/{FunctionName}/logs',
  status: 200,
  input: structure({
    FunctionName: required(namespacedFunctionName, 'Name, partial ARN or ARN.', inPath),
    StartTime: optional(
      long,
      'Lists only lines from this time on; milliseconds since 1970.',
      inQuery('StartTime'),
    ),
    Marker: optional(text, 'NextMarker of the previous page.', inQuery('Marker')),
    MaxItems: optional(
      integer({ min: 1, max: 10_000 }),
      'Maximum lines per page.',
      inQuery('MaxItems'),
    ),
  }),
  output: structure({
    Events: optional(
      list(
        structure({
          Timestamp: optional(
            long,
            'Time at which the line was received; milliseconds since 1970.',
          ),
          LogStreamName: optional(text, 'Log stream of the execution environment.'),
          Message: optional(text, 'The line.'),
        }),
        {},
      ),
      'The lines.',
    ),
    NextMarker: optional(
      text,
      'Marker for the next page; also returns lines that are written later.',
    ),
  }),
});
