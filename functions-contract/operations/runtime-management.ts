/** Which version of its runtime a function runs on. */
import { operation } from '../operation.ts';
import { namespacedFunctionName, qualifier } from '../shapes/names.ts';
import { inPath, inQuery, optional, required, string, structure, text } from '../shape.ts';

const path = '/2021-07-20/functions/{FunctionName}/runtime-management-config';
const named = required(namespacedFunctionName, 'Name, partial ARN or ARN.', inPath);
const version = optional(qualifier, '$LATEST or a version.', inQuery('Qualifier'));
const updateOn = string({ values: ['Auto', 'FunctionUpdate', 'Manual'] });

const managed = structure({
  UpdateRuntimeOn: optional(updateOn, 'When the runtime is updated to a newer version.'),
  FunctionArn: optional(text, 'ARN of the version.'),
  RuntimeVersionArn: optional(text, 'ARN of the runtime version; for Manual.'),
});

export const getRuntimeManagementConfig = operation({
  name: 'GetRuntimeManagementConfig',
  description: 'Shows when the runtime of a function is updated.',
  method: 'GET',
  path,
  status: 200,
  input: structure({ FunctionName: named, Qualifier: version }),
  output: managed,
});

export const putRuntimeManagementConfig = operation({
  name: 'PutRuntimeManagementConfig',
  description: 'Sets when the runtime of a function is updated.',
  method: 'PUT',
  path,
  status: 200,
  input: structure({
    FunctionName: named,
    Qualifier: version,
    UpdateRuntimeOn: required(updateOn, 'Auto, FunctionUpdate, or Manual for never.'),
    RuntimeVersionArn: optional(
      string({
        min: 26,
        max: 2048,
        pattern: String.raw`arn:(aws[a-zA-Z-]*):lambda:(eusc-)?[a-z]{2}((-gov)|(-iso([a-z]?)))?-[a-z]+-\d{1}::runtime:.+`,
      }),
      'ARN of the runtime version to use; for Manual.',
    ),
  }),
  output: managed,
});
