import { eventRequestBytesMax } from '../limits.ts';
import { operation } from '../operation.ts';
import { namespacedFunctionName } from '../shapes/names.ts';
import {
  blob,
  inPath,
  inPayload,
  inStatus,
  integer,
  optional,
  required,
  structure,
} from '../shape.ts';

export const invokeAsync = operation({
  name: 'InvokeAsync',
  description:
    'Invokes a function asynchronously. Invoke with the invocation type Event does the same.',
  method: 'POST',
  path: '/2014-11-13/functions/{FunctionName}/invoke-async',
  status: 202,
  requestBytesMax: eventRequestBytesMax,
  input: structure({
    FunctionName: required(namespacedFunctionName, 'Name, partial ARN or ARN.', inPath),
    InvokeArgs: required({ ...blob, sensitive: true }, 'The event as JSON.', inPayload),
  }),
  output: structure({ Status: optional(integer({}), 'HTTP status.', inStatus) }),
});
