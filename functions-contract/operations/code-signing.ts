/** Code signing configurations, and which functions have them. */
import { nothing, operation } from '../operation.ts';
import { codeSigningConfigArn, functionName } from '../shapes/names.ts';
import { marker, maxItems, nextMarker, pagesOf } from '../shapes/paging.ts';
import { inPath, list, map, optional, required, string, structure, text } from '../shape.ts';

const base = '/2020-04-22/code-signing-configs';
const named = required(functionName, 'Name, partial ARN or ARN.', inPath);
const path = '/2020-06-30/functions/{FunctionName}/code-signing-config';

const configInPath = required(codeSigningConfigArn, 'ARN of the configuration.', inPath);

const description = optional(string({ min: 0, max: 256 }), 'Description.');

const allowedPublishers = structure({
  SigningProfileVersionArns: required(
    list(
      string({
        pattern: String.raw`arn:(aws[a-zA-Z0-9-]*):([a-zA-Z0-9\-])+:((eusc-)?[a-z]{2}((-gov)|(-iso([a-z]?)))?-[a-z]+-\d{1})?:(\d{12})?:(.*)`,
      }),
      { min: 1, max: 20 },
    ),
    'Signing profile versions whose signatures are trusted.',
  ),
});

const codeSigningPolicies = structure({
  UntrustedArtifactOnDeployment: optional(
    string({ values: ['Warn', 'Enforce'] }),
    'Deployment of code without a trusted signature: Warn allows it, Enforce rejects it.',
    { default: 'Warn' },
  ),
});

const ofFunction = structure({
  CodeSigningConfigArn: optional(text, 'ARN of the configuration.'),
  FunctionName: optional(text, 'Name of the function.'),
});

const config = structure({
  CodeSigningConfigId: optional(text, 'Id of the configuration.'),
  CodeSigningConfigArn: optional(text, 'ARN of the configuration.'),
  Description: optional(text, 'Description.'),
  AllowedPublishers: optional(allowedPublishers, 'Publishers whose signatures are trusted.'),
  CodeSigningPolicies: optional(
    codeSigningPolicies,
    'Treatment of code without a trusted signature.',
  ),
  LastModified: optional(text, 'Time of the last change.'),
});

const wholeConfig = structure({ CodeSigningConfig: optional(config, 'The configuration.') });

export const createCodeSigningConfig = operation({
  name: 'CreateCodeSigningConfig',
  description: 'Creates a code signing configuration.',
  method: 'POST',
  path: base,
  status: 201,
  input: structure({
    Description: description,
    AllowedPublishers: required(allowedPublishers, 'Publishers whose signatures are trusted.'),
    CodeSigningPolicies: optional(
      codeSigningPolicies,
      'Treatment of code without a trusted signature.',
      { default: {} },
    ),
    Tags: optional(map(text, text, {}), 'Tags of the configuration.'),
  }),
  output: wholeConfig,
});

export const updateCodeSigningConfig = operation({
  name: 'UpdateCodeSigningConfig',
  description: 'Updates a code signing configuration. The change applies from the next deployment.',
  method: 'PUT',
  path: `${base}/{CodeSigningConfigArn}`,
  status: 200,
  input: structure({
    CodeSigningConfigArn: configInPath,
    Description: description,
    AllowedPublishers: optional(allowedPublishers, 'Publishers whose signatures are trusted.'),
    CodeSigningPolicies: optional(
      codeSigningPolicies,
      'Treatment of code without a trusted signature.',
    ),
  }),
  output: wholeConfig,
});

export const getCodeSigningConfig = operation({
  name: 'GetCodeSigningConfig',
  description: 'Shows a code signing configuration.',
  method: 'GET',
  path: `${base}/{CodeSigningConfigArn}`,
  status: 200,
  input: structure({ CodeSigningConfigArn: configInPath }),
  output: wholeConfig,
});

export const deleteCodeSigningConfig = operation({
  name: 'DeleteCodeSigningConfig',
  description: 'Deletes a code signing configuration that no function uses.',
  method: 'DELETE',
  path: `${base}/{CodeSigningConfigArn}`,
  status: 204,
  input: structure({ CodeSigningConfigArn: configInPath }),
  output: nothing,
});

export const listCodeSigningConfigs = operation({
  name: 'ListCodeSigningConfigs',
  description: 'Lists the code signing configurations.',
  method: 'GET',
  path: base,
  status: 200,
  input: structure({ Marker: marker, MaxItems: maxItems(10_000) }),
  output: structure({
    NextMarker: nextMarker,
    CodeSigningConfigs: optional(list(config, {}), 'The configurations.'),
  }),
  pages: pagesOf('CodeSigningConfigs'),
});

export const listFunctionsByCodeSigningConfig = operation({
  name: 'ListFunctionsByCodeSigningConfig',
  description: 'Lists the functions that use a code signing configuration.',
  method: 'GET',
  path: `${base}/{CodeSigningConfigArn}/functions`,
  status: 200,
  input: structure({
    CodeSigningConfigArn: configInPath,
    Marker: marker,
    MaxItems: maxItems(10_000),
  }),
  output: structure({
    NextMarker: nextMarker,
    FunctionArns: optional(list(text, {}), 'ARNs of the functions.'),
  }),
  pages: pagesOf('FunctionArns'),
});

export const getFunctionCodeSigningConfig = operation({
  name: 'GetFunctionCodeSigningConfig',
  description: 'Shows the code signing configuration of a function.',
  method: 'GET',
  path,
  status: 200,
  input: structure({ FunctionName: named }),
  output: ofFunction,
});

export const putFunctionCodeSigningConfig = operation({
  name: 'PutFunctionCodeSigningConfig',
  description:
    'Sets the code signing configuration of a function. It applies from the next deployment.',
  method: 'PUT',
  path,
  status: 200,
  input: structure({
    FunctionName: named,
    CodeSigningConfigArn: required(codeSigningConfigArn, 'ARN of the configuration.'),
  }),
  output: ofFunction,
});

export const deleteFunctionCodeSigningConfig = operation({
  name: 'DeleteFunctionCodeSigningConfig',
  description: 'Removes the code signing configuration of a function.',
  method: 'DELETE',
  path,
  status: 204,
  input: structure({ FunctionName: named }),
  output: nothing,
});
