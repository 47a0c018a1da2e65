/** Addresses at which a function answers HTTP requests. */
import { nothing, operation } from '../operation.ts';
import { functionName } from '../shapes/names.ts';
import { marker, maxItems, nextMarker, pagesOf } from '../shapes/paging.ts';
import {
  boolean,
  inPath,
  inQuery,
  integer,
  list,
  optional,
  required,
  string,
  structure,
  text,
} from '../shape.ts';

const path = '/2021-10-31/functions/{FunctionName}/url';
const named = required(functionName, 'Name, partial ARN or ARN.', inPath);
const alias = optional(
  string({ min: 1, max: 128, pattern: String.raw`((?!^\d+$)^[0-9a-zA-Z-_]+$)` }),
  'Alias.',
  inQuery('Qualifier'),
);
const authType = string({ values: ['NONE', 'AWS_IAM'] });
const invokeMode = string({ values: ['RESPONSE_STREAM', 'BUFFERED'] });
const names = (max: number, item: Parameters<typeof string>[0]) => list(string(item), { max });

const cors = structure({
  AllowCredentials: optional(boolean, 'Allows browsers to send credentials such as cookies.'),
  AllowHeaders: optional(names(100, { max: 1024 }), 'Request headers that pages may send.'),
  AllowMethods: optional(names(6, { max: 6 }), 'HTTP methods that pages may use.'),
  AllowOrigins: optional(names(100, { min: 1, max: 253 }), 'Origins that may send requests.'),
  ExposeHeaders: optional(names(100, { max: 1024 }), 'Response headers that pages may read.'),
  MaxAge: optional(
    integer({ min: 0, max: 86_400 }),
    'Seconds for which browsers cache a preflight response.',
  ),
});

const config = {
  FunctionUrl: optional(text, 'The function URL.'),
  FunctionArn: optional(text, 'ARN of the function or alias.'),
  AuthType: optional(authType, 'NONE, or AWS_IAM for signed requests only.'),
  Cors: optional(cors, 'Cross-origin resource sharing (CORS) settings.'),
  CreationTime: optional(text, 'Time of creation.'),
  InvokeMode: optional(invokeMode, 'BUFFERED, or RESPONSE_STREAM for streamed responses.'),
} as const;
const changed = {
  ...config,
  LastModifiedTime: optional(text, 'Time of the last change.'),
} as const;

const settings = {
  Cors: optional(cors, 'Cross-origin resource sharing (CORS) settings.'),
  InvokeMode: optional(invokeMode, 'BUFFERED, or RESPONSE_STREAM for streamed responses.', {
    default: 'BUFFERED',
  }),
} as const;

export const createFunctionUrlConfig = operation({
  name: 'CreateFunctionUrlConfig',
  description: 'Creates a function URL for a function or alias.',
  method: 'POST',
  path,
  status: 201,
  input: structure({
    FunctionName: named,
    Qualifier: alias,
    AuthType: required(authType, 'NONE, or AWS_IAM for signed requests only.'),
    ...settings,
  }),
  output: structure(config),
});

export const getFunctionUrlConfig = operation({
  name: 'GetFunctionUrlConfig',
  description: 'Shows the function URL of a function or alias.',
  method: 'GET',
  path,
  status: 200,
  input: structure({ FunctionName: named, Qualifier: alias }),
  output: structure(changed),
});

export const updateFunctionUrlConfig = operation({
  name: 'UpdateFunctionUrlConfig',
  description: 'Updates a function URL.',
  method: 'PUT',
  path,
  status: 200,
  input: structure({
    FunctionName: named,
    Qualifier: alias,
    AuthType: optional(authType, 'NONE, or AWS_IAM for signed requests only.'),
    ...settings,
  }),
  output: structure(changed),
});

export const deleteFunctionUrlConfig = operation({
  name: 'DeleteFunctionUrlConfig',
  description: 'Deletes a function URL. URLs are never reused.',
  method: 'DELETE',
  path,
  status: 204,
  input: structure({ FunctionName: named, Qualifier: alias }),
  output: nothing,
});

export const listFunctionUrlConfigs = operation({
  name: 'ListFunctionUrlConfigs',
  description: 'Lists the function URLs of a function.',
  method: 'GET',
  path: `${path}s`,
  status: 200,
  input: structure({ FunctionName: named, Marker: marker, MaxItems: maxItems(50) }),
  output: structure({
    FunctionUrlConfigs: optional(list(structure(changed), {}), 'The function URLs.'),
    NextMarker: nextMarker,
  }),
  pages: pagesOf('FunctionUrlConfigs'),
});
