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
  ReservedConcurrentExecutions: optional(integer({ min: 0 }), 'Reserved concurrent executions.'),
});

export const putFunctionConcurrency = operation({
  name: 'PutFunctionConcurrency',
  description:
    'Sets the reserved concurrency of a function: guaranteed to the function, and its maximum.',
  method: 'PUT',
  path: '/2017-10-31/functions/{FunctionName}/concurrency',
  status: 200,
  input: structure({
    FunctionName: named,
    ReservedConcurrentExecutions: required(integer({ min: 0 }), 'Reserved concurrent executions.'),
  }),
  output: reserved,
});

export const getFunctionConcurrency = operation({
  name: 'GetFunctionConcurrency',
  description: 'Shows the reserved concurrency of a function.',
  method: 'GET',
  path: '/2019-09-30/functions/{FunctionName}/concurrency',
  status: 200,
  input: structure({ FunctionName: named }),
  output: reserved,
});

export const deleteFunctionConcurrency = operation({
  name: 'DeleteFunctionConcurrency',
  description: 'Removes the reserved concurrency of a function.',
  method: 'DELETE',
  path: '/2017-10-31/functions/{FunctionName}/concurrency',
  status: 204,
  input: structure({ FunctionName: named }),
  output: nothing,
});

export const getAccountSettings = operation({
  name: 'GetAccountSettings',
  description: 'Shows the limits and the usage of the account.',
  method: 'GET',
  path: '/2016-08-19/account-settings',
  status: 200,
  input: structure({}),
  output: structure({
    AccountLimit: optional(
      structure({
        TotalCodeSize: optional(long, 'Total size of all deployment packages, in bytes.'),
        CodeSizeUnzipped: optional(
          long,
          'Maximum size of an unzipped deployment package, in bytes.',
        ),
        CodeSizeZipped: optional(
          long,
          'Maximum size of a zipped deployment package in a request, in bytes.',
        ),
        ConcurrentExecutions: optional(integer({}), 'Maximum concurrent executions.'),
        UnreservedConcurrentExecutions: optional(
          integer({}),
          'Concurrent executions that no function has reserved.',
        ),
      }),
      'Limits of the account.',
    ),
    AccountUsage: optional(
      structure({
        TotalCodeSize: optional(long, 'Total size of all deployment packages, in bytes.'),
        FunctionCount: optional(long, 'Number of functions.'),
      }),
      'Usage of the account.',
    ),
  }),
});

const provisionedPath = '/2019-09-30/functions/{FunctionName}/provisioned-concurrency';
const version = required(qualifier, 'Version or alias.', inQuery('Qualifier'));

const provisionedMembers = {
  RequestedProvisionedConcurrentExecutions: optional(integer({}), 'Requested environments.'),
  AvailableProvisionedConcurrentExecutions: optional(integer({}), 'Environments that are ready.'),
  AllocatedProvisionedConcurrentExecutions: optional(
    integer({}),
    'Environments that were started.',
  ),
  Status: optional(
    string({ values: ['IN_PROGRESS', 'READY', 'FAILED'] }),
    'Status of the allocation.',
  ),
  StatusReason: optional(text, 'Reason for a failure.'),
  LastModified: optional(text, 'Time of the last change.'),
} as const;

export const putProvisionedConcurrencyConfig = operation({
  name: 'PutProvisionedConcurrencyConfig',
  description: 'Sets the provisioned concurrency of a version or alias.',
  method: 'PUT',
  path: provisionedPath,
  status: 202,
  input: structure({
    FunctionName: named,
    Qualifier: version,
    ProvisionedConcurrentExecutions: required(
      integer({ min: 1 }),
      'Number of environments to initialize in advance.',
    ),
  }),
  output: structure(provisionedMembers),
});

export const getProvisionedConcurrencyConfig = operation({
  name: 'GetProvisionedConcurrencyConfig',
  description: 'Shows the provisioned concurrency of a version or alias.',
  method: 'GET',
  path: provisionedPath,
  status: 200,
  input: structure({ FunctionName: named, Qualifier: version }),
  output: structure(provisionedMembers),
});

export const deleteProvisionedConcurrencyConfig = operation({
  name: 'DeleteProvisionedConcurrencyConfig',
  description: 'Deletes the provisioned concurrency of a version or alias.',
  method: 'DELETE',
  path: provisionedPath,
  status: 204,
  input: structure({ FunctionName: named, Qualifier: version }),
  output: nothing,
});

export const listProvisionedConcurrencyConfigs = operation({
  name: 'ListProvisionedConcurrencyConfigs',
  description: 'Lists the provisioned concurrency of the versions and aliases of a function.',
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
      'The provisioned concurrency configurations.',
    ),
  }),
  pages: pagesOf('ProvisionedConcurrencyConfigs'),
});
