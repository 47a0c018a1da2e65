import { invokeRequestBytesMax } from '../limits.ts';
import { operation } from '../operation.ts';
import { namespacedFunctionName, qualifier } from '../shapes/names.ts';
import {
  blob,
  inHeader,
  inPath,
  inPayload,
  inQuery,
  inStatus,
  integer,
  optional,
  required,
  stream,
  string,
  structure,
  text,
} from '../shape.ts';

export const invokeWithResponseStream = operation({
  name: 'InvokeWithResponseStream',
  description: 'Invokes a function and streams its response.',
  method: 'POST',
  path: '/2021-11-15/functions/{FunctionName}/response-streaming-invocations',
  status: 200,
  requestBytesMax: invokeRequestBytesMax,
  input: structure({
    FunctionName: required(namespacedFunctionName, 'Name, partial ARN or ARN.', inPath),
    InvocationType: optional(
      string({ values: ['RequestResponse', 'DryRun'] }),
      'DryRun only validates the request.',
      { ...inHeader('x-amz-invocation-type'), default: 'RequestResponse' },
    ),
    LogType: optional(
      string({ values: ['None', 'Tail'] }),
      "Tail includes the end of the function's log in the last event.",
      inHeader('x-amz-log-type'),
    ),
    ClientContext: optional(
      text,
      'Data about the invoking client: JSON, encoded in base64.',
      inHeader('x-amz-client-context'),
    ),
    Qualifier: optional(qualifier, 'Version or alias.', inQuery('Qualifier')),
    Payload: optional({ ...blob, sensitive: true }, 'The event as JSON.', inPayload),
    TenantId: optional(
      string({ min: 1, max: 256, pattern: String.raw`[a-zA-Z0-9\._:\/=+\-@ ]+` }),
      'Tenant, for functions with tenant isolation.',
      inHeader('x-amz-tenant-id'),
    ),
  }),
  output: structure({
    StatusCode: optional(integer({}), 'HTTP status.', inStatus),
    ExecutedVersion: optional(
      text,
      'Version that was invoked.',
      inHeader('x-amz-executed-version'),
    ),
    ResponseStreamContentType: optional(
      text,
      'Content type of the event stream.',
      inHeader('content-type'),
    ),
    EventStream: optional(
      stream,
      'Response chunks, then an event that reports the outcome.',
      inPayload,
    ),
  }),
});
