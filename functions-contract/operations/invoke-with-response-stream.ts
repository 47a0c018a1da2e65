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
  about: 'Runs a function and hands on what it answers while it answers.',
  method: 'POST',
  path: '/2021-11-15/functions/{FunctionName}/response-streaming-invocations',
  status: 200,
  requestBytesMax: invokeRequestBytesMax,
  input: structure({
    FunctionName: required(namespacedFunctionName, 'Name, partial ARN or ARN.', inPath),
    InvocationType: optional(
      string({ values: ['RequestResponse', 'DryRun'] }),
      'DryRun only checks.',
      { ...inHeader('x-amz-invocation-type'), fallback: 'RequestResponse' },
    ),
    LogType: optional(
      string({ values: ['None', 'Tail'] }),
      "Tail has the end of the function's log in the last event.",
      inHeader('x-amz-log-type'),
    ),
    ClientContext: optional(
      text,
      'What the caller says of itself: JSON in base64.',
      inHeader('x-amz-client-context'),
    ),
    Qualifier: optional(qualifier, 'Version or alias.', inQuery('Qualifier')),
    Payload: optional({ ...blob, sensitive: true }, 'The event as JSON.', inPayload),
    TenantId: optional(
      string({ min: 1, max: 256, pattern: String.raw`[a-zA-Z0-9\._:\/=+\-@ ]+` }),
      'Tenant, for functions that isolate tenants.',
      inHeader('x-amz-tenant-id'),
    ),
  }),
  output: structure({
    StatusCode: optional(integer({}), 'HTTP status.', inStatus),
    ExecutedVersion: optional(text, 'Version that ran.', inHeader('x-amz-executed-version')),
    ResponseStreamContentType: optional(
      text,
      'Type of the stream of events.',
      inHeader('content-type'),
    ),
    EventStream: optional(stream, 'The answer in pieces, then how it ended.', inPayload),
  }),
});
