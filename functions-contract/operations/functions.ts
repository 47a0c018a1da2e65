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
import {
  tenancyConfig,
  role,
  settingsAfterRevision,
  settingsBeforeRevision,
} from '../shapes/settings.ts';
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
  ZipFile: optional(
    { ...blob, sensitive: true },
    'Contents of the zip archive; use fileb:// to read a file.',
  ),
  S3Bucket: optional(string({ min: 3, max: 63 }), 'S3 bucket of the zip archive.'),
  S3Key: optional(string({ min: 1, max: 1024 }), 'S3 object key of the zip archive.'),
  S3ObjectVersion: optional(string({ min: 1, max: 1024 }), 'S3 object version of the zip archive.'),
  ImageUri: optional(text, 'URI of the container image.'),
  SourceKMSKeyArn: optional(text, 'Not supported: archives are not encrypted.'),
} as const;

const publishTo = optional(
  string({ values: ['LATEST_PUBLISHED'] }),
  'Not supported: $LATEST.PUBLISHED is the unpublished version.',
);

export const createFunction = operation({
  name: 'CreateFunction',
  description: 'Creates a function from a zip archive or a container image.',
  method: 'POST',
  path: base,
  status: 201,
  requestBytesMax: codeRequestBytesMax,
  input: structure({
    FunctionName: required(functionName, 'Name of the new function.'),
    ...settingsBeforeRevision,
    ...settingsAfterRevision,
    Role: required(role, 'ARN of the execution role.'),
    Code: required(structure(codeSource), 'Code of the function.'),
    Publish: optional(boolean, 'Also publishes the first version.'),
    PackageType: optional(string({ values: ['Zip', 'Image'] }), 'Type of the deployment package.', {
      default: 'Zip',
    }),
    Tags: optional(tags, 'Tags.'),
    CodeSigningConfigArn: optional(codeSigningConfigArn, 'Code signing configuration.'),
    Architectures: optional(architectures, 'Instruction set.', { default: ['x86_64'] }),
    PublishTo: publishTo,
    TenancyConfig: optional(tenancyConfig, 'Tenant isolation.'),
  }),
  output: functionConfiguration,
});

export const getFunction = operation({
  name: 'GetFunction',
  description: 'Shows a function, its configuration and a URL to download its code.',
  method: 'GET',
  path: `${base}/{FunctionName}`,
  status: 200,
  input: structure({ FunctionName: anyName, Qualifier: version }),
  output: structure({
    Configuration: optional(functionConfiguration, 'The configuration.'),
    Code: optional(
      structure({
        RepositoryType: optional(text, 'Service that stores the code.'),
        Location: optional(text, 'URL to download the code; valid for ten minutes.'),
        ImageUri: optional(text, 'URI of the container image.'),
        ResolvedImageUri: optional(text, 'URI of the container image with its digest.'),
        SourceKMSKeyArn: optional(text, 'ARN of the key that encrypts the zip archive.'),
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
  description: 'Shows the configuration of a function or of one of its versions.',
  method: 'GET',
  path: `${base}/{FunctionName}/configuration`,
  status: 200,
  input: structure({ FunctionName: anyName, Qualifier: version }),
  output: functionConfiguration,
});

export const updateFunctionCode = operation({
  name: 'UpdateFunctionCode',
  description: 'Updates the code of a function.',
  method: 'PUT',
  path: `${base}/{FunctionName}/code`,
  status: 200,
  requestBytesMax: codeRequestBytesMax,
  input: structure({
    FunctionName: required(functionName, 'Name, partial ARN or ARN.', inPath),
    ...codeSource,
    Publish: optional(boolean, 'Also publishes a version.'),
    DryRun: optional(boolean, 'Validates the request without changing anything.'),
    RevisionId: optional(text, 'Updates only if the function still has this revision.'),
    Architectures: optional(architectures, 'Instruction set.'),
    PublishTo: publishTo,
  }),
  output: functionConfiguration,
});

export const deleteFunction = operation({
  name: 'DeleteFunction',
  description: 'Deletes a function, or one published version of it.',
  method: 'DELETE',
  path: `${base}/{FunctionName}`,
  status: 204,
  input: structure({ FunctionName: anyName, Qualifier: version }),
  output: structure({ StatusCode: optional(integer({}), 'HTTP status.', inStatus) }),
});

export const listFunctions = operation({
  name: 'ListFunctions',
  description: 'Lists functions with their configuration.',
  method: 'GET',
  path: base,
  status: 200,
  input: structure({
    MasterRegion: optional(text, 'Region of the replicated functions.', inQuery('MasterRegion')),
    FunctionVersion: optional(
      string({ values: ['ALL'] }),
      'ALL lists every version.',
      inQuery('FunctionVersion'),
    ),
    Marker: optional(text, 'NextMarker of the previous page.', inQuery('Marker')),
    MaxItems: optional(
      integer({ min: 1, max: 10_000 }),
      'Maximum items per page.',
      inQuery('MaxItems'),
    ),
  }),
  output: structure({
    NextMarker: optional(text, 'Marker for the next page.'),
    Functions: optional(list(functionConfiguration, {}), 'The functions.'),
  }),
  pages: { token: 'Marker', nextToken: 'NextMarker', limit: 'MaxItems', items: 'Functions' },
});

export const publishVersion = operation({
  name: 'PublishVersion',
  description: 'Publishes an immutable version from the code and configuration of a function.',
  method: 'POST',
  path: `${base}/{FunctionName}/versions`,
  status: 201,
  input: structure({
    FunctionName: required(functionName, 'Name, partial ARN or ARN.', inPath),
    CodeSha256: optional(text, 'Publishes only if the code has this SHA-256.'),
    Description: optional(string({ min: 0, max: 256 }), 'Description of the version.'),
    RevisionId: optional(text, 'Publishes only if the function still has this revision.'),
    PublishTo: publishTo,
  }),
  output: functionConfiguration,
});

export const listVersionsByFunction = operation({
  name: 'ListVersionsByFunction',
  description: 'Lists the versions of a function.',
  method: 'GET',
  path: `${base}/{FunctionName}/versions`,
  status: 200,
  input: structure({
    FunctionName: anyName,
    Marker: optional(text, 'NextMarker of the previous page.', inQuery('Marker')),
    MaxItems: optional(
      integer({ min: 1, max: 10_000 }),
      'Maximum items per page.',
      inQuery('MaxItems'),
    ),
  }),
  output: structure({
    NextMarker: optional(text, 'Marker for the next page.'),
    Versions: optional(list(functionConfiguration, {}), 'The versions.'),
  }),
  pages: { token: 'Marker', nextToken: 'NextMarker', limit: 'MaxItems', items: 'Versions' },
});

export const invoke = operation({
  name: 'Invoke',
  description: 'Invokes a function, synchronously or asynchronously.',
  method: 'POST',
  path: `${base}/{FunctionName}/invocations`,
  status: 200,
  requestBytesMax: invokeRequestBytesMax,
  input: structure({
    FunctionName: anyName,
    InvocationType: optional(
      string({ values: ['Event', 'RequestResponse', 'DryRun'] }),
      'RequestResponse waits for the result, Event invokes asynchronously, DryRun only validates.',
      { ...inHeader('x-amz-invocation-type'), default: 'RequestResponse' },
    ),
    LogType: optional(
      string({ values: ['None', 'Tail'] }),
      "Tail includes the end of the function's log in the response.",
      inHeader('x-amz-log-type'),
    ),
    ClientContext: optional(
      text,
      'Data about the invoking client: JSON, encoded in base64.',
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
      'Tenant, for functions with tenant isolation.',
      inHeader('x-amz-tenant-id'),
    ),
  }),
  output: structure({
    StatusCode: optional(integer({}), 'HTTP status.', inStatus),
    FunctionError: optional(
      text,
      'Present when the function failed; the payload contains the error.',
      inHeader('x-amz-function-error'),
    ),
    LogResult: optional(
      text,
      'The last 4 KB of the log, encoded in base64.',
      inHeader('x-amz-log-result'),
    ),
    Payload: optional({ ...blob, sensitive: true }, 'Response of the function.', inPayload),
    ExecutedVersion: optional(
      text,
      'Version that was invoked.',
      inHeader('x-amz-executed-version'),
    ),
    DurableExecutionArn: optional(
      text,
      'ARN of the durable execution.',
      inHeader('x-amz-durable-execution-arn'),
    ),
  }),
});
