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
  AllowCredentials: optional(boolean, 'Lets browsers send cookies.'),
  AllowHeaders: optional(names(100, { max: 1024 }), 'Headers that pages may send.'),
  AllowMethods: optional(names(6, { max: 6 }), 'Methods that pages may use.'),
  AllowOrigins: optional(names(100, { min: 1, max: 253 }), 'Origins of the pages.'),
  ExposeHeaders: optional(names(100, { max: 1024 }), 'Headers that pages may read.'),
  MaxAge: optional(integer({ min: 0, max: 86_400 }), 'Seconds that browsers remember this.'),
});

const config = {
  FunctionUrl: optional(text, 'The address.'),
  FunctionArn: optional(text, 'ARN of the function or alias.'),
  AuthType: optional(authType, 'How requests must be signed.'),
  Cors: optional(cors, 'What pages of other origins may do.'),
  CreationTime: optional(text, 'When it was made.'),
  InvokeMode: optional(invokeMode, 'Whether answers are handed on while they come.'),
} as const;
const changed = {
  ...config,
  LastModifiedTime: optional(text, 'When it was last changed.'),
} as const;

const settings = {
  Cors: optional(cors, 'What pages of other origins may do.'),
  InvokeMode: optional(invokeMode, 'RESPONSE_STREAM hands answers on while they come.', {
    fallback: 'BUFFERED',
  }),
} as const;

export const createFunctionUrlConfig = operation({
  name: 'CreateFunctionUrlConfig',
  about: 'Gives a function or alias an address at which it answers HTTP requests.',
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
  about: 'Tells the address of a function or alias.',
  method: 'GET',
  path,
  status: 200,
  input: structure({ FunctionName: named, Qualifier: alias }),
  output: structure(changed),
});

export const updateFunctionUrlConfig = operation({
  name: 'UpdateFunctionUrlConfig',
  about: 'Changes how a function answers at its address.',
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
  about: 'Takes the address of a function or alias away; it is never given again.',
  method: 'DELETE',
  path,
  status: 204,
  input: structure({ FunctionName: named, Qualifier: alias }),
  output: nothing,
});

export const listFunctionUrlConfigs = operation({
  name: 'ListFunctionUrlConfigs',
  about: 'Lists the addresses of a function.',
  method: 'GET',
  path: `${path}s`,
  status: 200,
  input: structure({ FunctionName: named, Marker: marker, MaxItems: maxItems(50) }),
  output: structure({
    FunctionUrlConfigs: optional(list(structure(changed), {}), 'The addresses.'),
    NextMarker: nextMarker,
  }),
  pages: pagesOf('FunctionUrlConfigs'),
});
