/** How many invocations of a function run at once. */
import { nothing, operation } from '../operation.ts';
import { functionName, qualifier } from '../shapes/names.ts';
import { marker, maxItems, nextMarker, pagesOf } from '../shapes/paging.ts';
import {
  inPath,
  inQuery,
  integer,
  list,
  long,
  optional,
  required,
  string,
  structure,
  text,
} from '../shape.ts';

const named = required(functionName, 'Name, partial ARN or ARN.', inPath);
const reserved = structure({
  ReservedConcurrentExecutions: optional(integer({ min: 0 }), 'Invocations at once.'),
});

export const putFunctionConcurrency = operation({
  name: 'PutFunctionConcurrency',
  about: 'Keeps room for invocations of a function; it has that much and never more.',
  method: 'PUT',
  path: '/2017-10-31/functions/{FunctionName}/concurrency',
  status: 200,
  input: structure({
    FunctionName: named,
    ReservedConcurrentExecutions: required(integer({ min: 0 }), 'Invocations at once.'),
  }),
  output: reserved,
});

export const getFunctionConcurrency = operation({
  name: 'GetFunctionConcurrency',
  about: 'Tells how much room is kept for invocations of a function.',
  method: 'GET',
  path: '/2019-09-30/functions/{FunctionName}/concurrency',
  status: 200,
  input: structure({ FunctionName: named }),
  output: reserved,
});

export const deleteFunctionConcurrency = operation({
  name: 'DeleteFunctionConcurrency',
  about: 'Lets a function share the room of all others again.',
  method: 'DELETE',
  path: '/2017-10-31/functions/{FunctionName}/concurrency',
  status: 204,
  input: structure({ FunctionName: named }),
  output: nothing,
});

export const getAccountSettings = operation({
  name: 'GetAccountSettings',
  about: 'Tells the limits of the account and how much of them is in use.',
  method: 'GET',
  path: '/2016-08-19/account-settings',
  status: 200,
  input: structure({}),
  output: structure({
    AccountLimit: optional(
      structure({
        TotalCodeSize: optional(long, 'Bytes of all archives together.'),
        CodeSizeUnzipped: optional(long, 'Bytes of one archive once unpacked.'),
        CodeSizeZipped: optional(long, 'Bytes of one archive in a request.'),
        ConcurrentExecutions: optional(integer({}), 'Invocations at once.'),
        UnreservedConcurrentExecutions: optional(
          integer({}),
          'Of these, what no function has for itself.',
        ),
      }),
      'The limits.',
    ),
    AccountUsage: optional(
      structure({
        TotalCodeSize: optional(long, 'Bytes of all archives together.'),
        FunctionCount: optional(long, 'Functions.'),
      }),
      'What is in use.',
    ),
  }),
});

const provisionedPath = '/2019-09-30/functions/{FunctionName}/provisioned-concurrency';
const version = required(qualifier, 'Version or alias.', inQuery('Qualifier'));

const provisionedMembers = {
  RequestedProvisionedConcurrentExecutions: optional(integer({}), 'Environments asked for.'),
  AvailableProvisionedConcurrentExecutions: optional(integer({}), 'Of these, ready.'),
  AllocatedProvisionedConcurrentExecutions: optional(integer({}), 'Of these, started.'),
  Status: optional(string({ values: ['IN_PROGRESS', 'READY', 'FAILED'] }), 'How far it is.'),
  StatusReason: optional(text, 'Why it failed.'),
  LastModified: optional(text, 'When it was asked for.'),
} as const;

export const putProvisionedConcurrencyConfig = operation({
  name: 'PutProvisionedConcurrencyConfig',
  about: 'Keeps execution environments of a version or alias ready.',
  method: 'PUT',
  path: provisionedPath,
  status: 202,
  input: structure({
    FunctionName: named,
    Qualifier: version,
    ProvisionedConcurrentExecutions: required(integer({ min: 1 }), 'Environments.'),
  }),
  output: structure(provisionedMembers),
});

export const getProvisionedConcurrencyConfig = operation({
  name: 'GetProvisionedConcurrencyConfig',
  about: 'Tells how many environments of a version or alias are ready.',
  method: 'GET',
  path: provisionedPath,
  status: 200,
  input: structure({ FunctionName: named, Qualifier: version }),
  output: structure(provisionedMembers),
});

export const deleteProvisionedConcurrencyConfig = operation({
  name: 'DeleteProvisionedConcurrencyConfig',
  about: 'Lets go of the environments that were kept ready.',
  method: 'DELETE',
  path: provisionedPath,
  status: 204,
  input: structure({ FunctionName: named, Qualifier: version }),
  output: nothing,
});

export const listProvisionedConcurrencyConfigs = operation({
  name: 'ListProvisionedConcurrencyConfigs',
  about: 'Lists the versions and aliases of a function that are kept ready.',
  method: 'GET',
  path: `${provisionedPath}?List=ALL`,
  status: 200,
  input: structure({ FunctionName: named, Marker: marker, MaxItems: maxItems(50) }),
  output: structure({
    NextMarker: nextMarker,
    ProvisionedConcurrencyConfigs: optional(
      list(
        structure({
          FunctionArn: optional(text, 'ARN of the version or alias.'),
          ...provisionedMembers,
        }),
        {},
      ),
      'What is kept ready.',
    ),
  }),
  pages: pagesOf('ProvisionedConcurrencyConfigs'),
});
