/** Code signing: this service has no configurations of it, and says so. */
import { nothing, operation } from '../operation.ts';
import { functionName } from '../shapes/names.ts';
import { marker, maxItems, nextMarker, pagesOf } from '../shapes/paging.ts';
import { inPath, list, optional, required, string, structure, text } from '../shape.ts';

const named = required(functionName, 'Name, partial ARN or ARN.', inPath);
const path = '/2020-06-30/functions/{FunctionName}/code-signing-config';

const configArn = string({
  min: 0,
  max: 200,
  pattern: String.raw`arn:(aws[a-zA-Z-]*)?:lambda:(eusc-)?[a-z]{2}((-gov)|(-iso([a-z]?)))?-[a-z]+-\d{1}:\d{12}:code-signing-config:csc-[a-z0-9]{17}`,
});

const ofFunction = structure({
  CodeSigningConfigArn: optional(text, 'The code signing configuration.'),
  FunctionName: optional(text, 'Name of the function.'),
});

const config = structure({
  CodeSigningConfigId: optional(text, 'Id of the configuration.'),
  CodeSigningConfigArn: optional(text, 'ARN of the configuration.'),
});

export const getFunctionCodeSigningConfig = operation({
  name: 'GetFunctionCodeSigningConfig',
  about: 'Tells the code signing configuration of a function.',
  method: 'GET',
  path,
  status: 200,
  input: structure({ FunctionName: named }),
  output: ofFunction,
});

export const putFunctionCodeSigningConfig = operation({
  name: 'PutFunctionCodeSigningConfig',
  about: 'Gives a function a code signing configuration.',
  method: 'PUT',
  path,
  status: 200,
  input: structure({
    FunctionName: named,
    CodeSigningConfigArn: required(configArn, 'The code signing configuration.'),
  }),
  output: ofFunction,
});

export const deleteFunctionCodeSigningConfig = operation({
  name: 'DeleteFunctionCodeSigningConfig',
  about: 'Takes the code signing configuration away from a function.',
  method: 'DELETE',
  path,
  status: 204,
  input: structure({ FunctionName: named }),
  output: nothing,
});

export const listCodeSigningConfigs = operation({
  name: 'ListCodeSigningConfigs',
  about: 'Lists the code signing configurations.',
  method: 'GET',
  path: '/2020-04-22/code-signing-configs',
  status: 200,
  input: structure({ Marker: marker, MaxItems: maxItems(10_000) }),
  output: structure({
    NextMarker: nextMarker,
    CodeSigningConfigs: optional(list(config, {}), 'The configurations.'),
  }),
  pages: pagesOf('CodeSigningConfigs'),
});

export const getCodeSigningConfig = operation({
  name: 'GetCodeSigningConfig',
  about: 'Tells a code signing configuration.',
  method: 'GET',
  path: '/2020-04-22/code-signing-configs/{CodeSigningConfigArn}',
  status: 200,
  input: structure({
    CodeSigningConfigArn: required(configArn, 'The code signing configuration.', inPath),
  }),
  output: structure({ CodeSigningConfig: optional(config, 'The configuration.') }),
});
