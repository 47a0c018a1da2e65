/** The operations on functions themselves; updating the configuration has a file of its own. */
import { codeRequestBytesMax, invokeRequestBytesMax } from '../limits.ts';
import { operation } from '../operation.ts';
import { functionConfiguration } from '../shapes/function-configuration.ts';
import {
  codeSigningConfigArn,
  functionName,
  namespacedFunctionName,
  qualifier,
} from '../shapes/names.ts';
import { tenancyConfig } from '../shapes/settings.ts';
import { role, updatableSettings } from '../shapes/updatable-settings.ts';
import {
  blob,
  boolean,
  inHeader,
  inPath,
  inPayload,
  inQuery,
  inStatus,
  integer,
  list,
  map,
  optional,
  required,
  string,
  structure,
  text,
} from '../shape.ts';

const base = '/2015-03-31/functions';
const anyName = required(namespacedFunctionName, 'Name, partial ARN or ARN.', inPath);
const version = optional(qualifier, 'Version or alias.', inQuery('Qualifier'));

const architectures = list(string({ values: ['x86_64', 'arm64'] }), {
  min: 1,
  max: 1,
  itemsNotNull: true,
});
const tags = map(text, text, {});

const codeSource = {
  ZipFile: optional({ ...blob, sensitive: true }, 'The zip archive itself; a file by fileb://.'),
  S3Bucket: optional(string({ min: 3, max: 63 }), 'Bucket of the archive.'),
  S3Key: optional(string({ min: 1, max: 1024 }), 'Key of the archive.'),
  S3ObjectVersion: optional(string({ min: 1, max: 1024 }), 'Version of the archive.'),
  ImageUri: optional(text, 'Container image.'),
  SourceKMSKeyArn: optional(text, 'Not supported: archives are not encrypted.'),
} as const;

const publishTo = optional(
  string({ values: ['LATEST_PUBLISHED'] }),
  'Not supported: $LATEST.PUBLISHED is the unpublished version.',
);

export const createFunction = operation({
  name: 'CreateFunction',
  about: 'Makes a function from a zip archive or a container image.',
  method: 'POST',
  path: base,
  status: 201,
  requestBytesMax: codeRequestBytesMax,
  input: structure({
    FunctionName: required(functionName, 'Name of the new function.'),
    ...updatableSettings,
    Role: required(role, 'ARN of the execution role.'),
    Code: required(structure(codeSource), 'Where the code comes from.'),
    Publish: optional(boolean, 'Publishes the first version as well.'),
    PackageType: optional(string({ values: ['Zip', 'Image'] }), 'What the code is.', {
      fallback: 'Zip',
    }),
    Tags: optional(tags, 'Tags.'),
    CodeSigningConfigArn: optional(codeSigningConfigArn, 'Code signing configuration.'),
    Architectures: optional(architectures, 'Instruction set.', { fallback: 'x86_64' }),
    PublishTo: publishTo,
    TenancyConfig: optional(tenancyConfig, 'Isolation of tenants.'),
  }),
  output: functionConfiguration,
});

export const getFunction = operation({
  name: 'GetFunction',
  about: 'Tells everything about a function, with a link that downloads its code.',
  method: 'GET',
  path: `${base}/{FunctionName}`,
  status: 200,
  input: structure({ FunctionName: anyName, Qualifier: version }),
  output: structure({
    Configuration: optional(functionConfiguration, 'The configuration.'),
    Code: optional(
      structure({
        RepositoryType: optional(text, 'Where the code is kept.'),
        Location: optional(text, 'Link that downloads it; good for ten minutes.'),
        ImageUri: optional(text, 'Container image.'),
        ResolvedImageUri: optional(text, 'The image by its digest.'),
        SourceKMSKeyArn: optional(text, 'Key that encrypts the archive.'),
      }),
      'The code.',
    ),
    Tags: optional(tags, 'Tags.'),
    Concurrency: optional(
      structure({ ReservedConcurrentExecutions: optional(integer({}), 'Reserved concurrency.') }),
      'Reserved concurrency.',
    ),
  }),
});

export const getFunctionConfiguration = operation({
  name: 'GetFunctionConfiguration',
  about: 'Tells the configuration of a function or of one of its versions.',
  method: 'GET',
  path: `${base}/{FunctionName}/configuration`,
  status: 200,
  input: structure({ FunctionName: anyName, Qualifier: version }),
  output: functionConfiguration,
});

export const updateFunctionCode = operation({
  name: 'UpdateFunctionCode',
  about: 'Gives a function new code.',
  method: 'PUT',
  path: `${base}/{FunctionName}/code`,
  status: 200,
  requestBytesMax: codeRequestBytesMax,
  input: structure({
    FunctionName: required(functionName, 'Name, partial ARN or ARN.', inPath),
    ...codeSource,
    Publish: optional(boolean, 'Publishes a version as well.'),
    DryRun: optional(boolean, 'Checks the request and changes nothing.'),
    RevisionId: optional(text, 'Update only if the function still has this revision.'),
    Architectures: optional(architectures, 'Instruction set.'),
    PublishTo: publishTo,
  }),
  output: functionConfiguration,
});

export const deleteFunction = operation({
  name: 'DeleteFunction',
  about: 'Deletes a function, or one published version of it.',
  method: 'DELETE',
  path: `${base}/{FunctionName}`,
  status: 204,
  input: structure({ FunctionName: anyName, Qualifier: version }),
  output: structure({ StatusCode: optional(integer({}), 'HTTP status.', inStatus) }),
});

export const listFunctions = operation({
  name: 'ListFunctions',
  about: 'Lists functions with their configuration.',
  method: 'GET',
  path: base,
  status: 200,
  input: structure({
    MasterRegion: optional(text, 'Region of the main functions.', inQuery('MasterRegion')),
    FunctionVersion: optional(
      string({ values: ['ALL'] }),
      'ALL lists every version.',
      inQuery('FunctionVersion'),
    ),
    Marker: optional(text, 'NextMarker of the page before.', inQuery('Marker')),
    MaxItems: optional(integer({ min: 1, max: 10_000 }), 'Items of a page.', inQuery('MaxItems')),
  }),
  output: structure({
    NextMarker: optional(text, 'Asks for the next page.'),
    Functions: optional(list(functionConfiguration, {}), 'The functions.'),
  }),
  pages: { token: 'Marker', nextToken: 'NextMarker', limit: 'MaxItems', items: 'Functions' },
});

export const publishVersion = operation({
  name: 'PublishVersion',
  about: 'Keeps the code and configuration of a function as a version that never changes.',
  method: 'POST',
  path: `${base}/{FunctionName}/versions`,
  status: 201,
  input: structure({
    FunctionName: required(functionName, 'Name, partial ARN or ARN.', inPath),
    CodeSha256: optional(text, 'Publish only if the code has this SHA-256.'),
    Description: optional(string({ min: 0, max: 256 }), 'Description of the version.'),
    RevisionId: optional(text, 'Publish only if the function still has this revision.'),
    PublishTo: publishTo,
  }),
  output: functionConfiguration,
});

export const listVersionsByFunction = operation({
  name: 'ListVersionsByFunction',
  about: 'Lists the versions of a function.',
  method: 'GET',
  path: `${base}/{FunctionName}/versions`,
  status: 200,
  input: structure({
    FunctionName: anyName,
    Marker: optional(text, 'NextMarker of the page before.', inQuery('Marker')),
    MaxItems: optional(integer({ min: 1, max: 10_000 }), 'Items of a page.', inQuery('MaxItems')),
  }),
  output: structure({
    NextMarker: optional(text, 'Asks for the next page.'),
    Versions: optional(list(functionConfiguration, {}), 'The versions.'),
  }),
  pages: { token: 'Marker', nextToken: 'NextMarker', limit: 'MaxItems', items: 'Versions' },
});

export const invoke = operation({
  name: 'Invoke',
  about: 'Runs a function and waits for its answer, or hands it an event to run later.',
  method: 'POST',
  path: `${base}/{FunctionName}/invocations`,
  status: 200,
  requestBytesMax: invokeRequestBytesMax,
  input: structure({
    FunctionName: anyName,
    InvocationType: optional(
      string({ values: ['Event', 'RequestResponse', 'DryRun'] }),
      'RequestResponse waits, Event does not, DryRun only checks.',
      { ...inHeader('x-amz-invocation-type'), fallback: 'RequestResponse' },
    ),
    LogType: optional(
      string({ values: ['None', 'Tail'] }),
      "Tail has the end of the function's log in the answer.",
      inHeader('x-amz-log-type'),
    ),
    ClientContext: optional(
      text,
      'What the caller says of itself: JSON in base64.',
      inHeader('x-amz-client-context'),
    ),
    DurableExecutionName: optional(
      string({ min: 1, max: 64, pattern: '[a-zA-Z0-9-_]+' }),
      'Name of the durable execution.',
      inHeader('x-amz-durable-execution-name'),
    ),
    Payload: optional({ ...blob, sensitive: true }, 'The event as JSON.', inPayload),
    Qualifier: version,
    TenantId: optional(
      string({ min: 1, max: 256, pattern: String.raw`[a-zA-Z0-9\._:\/=+\-@ ]+` }),
      'Tenant, for functions that isolate tenants.',
      inHeader('x-amz-tenant-id'),
    ),
  }),
  output: structure({
    StatusCode: optional(integer({}), 'HTTP status.', inStatus),
    FunctionError: optional(
      text,
      'Present when the function failed; the payload tells why.',
      inHeader('x-amz-function-error'),
    ),
    LogResult: optional(text, 'The last 4 KB of the log in base64.', inHeader('x-amz-log-result')),
    Payload: optional({ ...blob, sensitive: true }, 'What the function answered.', inPayload),
    ExecutedVersion: optional(text, 'Version that ran.', inHeader('x-amz-executed-version')),
    DurableExecutionArn: optional(
      text,
      'The durable execution.',
      inHeader('x-amz-durable-execution-arn'),
    ),
  }),
});
