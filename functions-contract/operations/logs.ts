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

/** Of this service alone: on the vendor's platform another one has the logs. */
export const getFunctionLogs = operation({
  name: 'GetFunctionLogs',
  about: "Tells the lines of a function's log group, in the order in which they came.",
  method: 'GET',
  path: '/2015-03-31/functions/{FunctionName}/logs',
  status: 200,
  input: structure({
    FunctionName: required(namespacedFunctionName, 'Name, partial ARN or ARN.', inPath),
    StartTime: optional(
      long,
      'Leaves out what came before; milliseconds since 1970.',
      inQuery('StartTime'),
    ),
    Marker: optional(text, 'NextMarker of the page before.', inQuery('Marker')),
    MaxItems: optional(integer({ min: 1, max: 10_000 }), 'Lines of a page.', inQuery('MaxItems')),
  }),
  output: structure({
    Events: optional(
      list(
        structure({
          Timestamp: optional(long, 'When the line came; milliseconds since 1970.'),
          LogStreamName: optional(text, 'The stream of the execution environment.'),
          Message: optional(text, 'The line.'),
        }),
        {},
      ),
      'The lines.',
    ),
    NextMarker: optional(text, 'Asks for what follows, also for what has yet to come.'),
  }),
});
