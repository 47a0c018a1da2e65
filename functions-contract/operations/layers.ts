/** Layers: archives that several functions share. */
import { codeRequestBytesMax } from '../limits.ts';
import { nothing, operation } from '../operation.ts';
import { layerNamePattern, layerVersionArnPattern } from '../patterns.ts';
import { layerListRuntimes, newerRuntimes, runtimeNames, supportedRuntimes } from '../runtimes.ts';
import { marker, maxItems, nextMarker, pagesOf } from '../shapes/paging.ts';
import { statementId } from '../shapes/names.ts';
import {
  blob,
  inPath,
  inQuery,
  list,
  long,
  optional,
  required,
  string,
  structure,
  text,
} from '../shape.ts';

const base = '/2018-10-31/layers';
const version = `${base}/{LayerName}/versions/{VersionNumber}`;

const layerName = required(
  string({ min: 1, max: 140, pattern: layerNamePattern }),
  'Name or ARN of the layer.',
  inPath,
);
const versionNumber = required(long, 'Number of the version.', inPath);
const architecture = string({ values: ['x86_64', 'arm64'] });

const compatible = {
  CompatibleRuntimes: optional(list(text, {}), 'Runtimes that it is for.'),
  CompatibleArchitectures: optional(list(text, {}), 'Instruction sets that it is for.'),
} as const;

const content = structure({
  Location: optional(text, 'Link that downloads it; good for ten minutes.'),
  CodeSha256: optional(text, 'SHA-256 of the archive.'),
  CodeSize: optional(long, 'Bytes of the archive.'),
});

const shown = {
  Description: optional(text, 'Description.'),
  CreatedDate: optional(text, 'When it was published.'),
  Version: optional(long, 'Number of the version.'),
  ...compatible,
  LicenseInfo: optional(text, 'License.'),
} as const;

const layerVersion = structure({
  Content: optional(content, 'The archive.'),
  LayerArn: optional(text, 'ARN of the layer.'),
  LayerVersionArn: optional(text, 'ARN of the version.'),
  ...shown,
});

const listedVersion = structure({
  LayerVersionArn: optional(text, 'ARN of the version.'),
  ...shown,
});

const filters = {
  CompatibleRuntime: optional(
    string({ values: layerListRuntimes }),
    'Only versions for this runtime.',
    inQuery('CompatibleRuntime'),
  ),
  CompatibleArchitecture: optional(
    architecture,
    'Only versions for this instruction set.',
    inQuery('CompatibleArchitecture'),
  ),
  Marker: marker,
  MaxItems: maxItems(50),
} as const;

export const publishLayerVersion = operation({
  name: 'PublishLayerVersion',
  about: 'Makes a version of a layer from a zip archive; functions have its content at /opt.',
  method: 'POST',
  path: `${base}/{LayerName}/versions`,
  status: 201,
  requestBytesMax: codeRequestBytesMax,
  input: structure({
    LayerName: layerName,
    Description: optional(string({ min: 0, max: 256 }), 'Description.'),
    Content: required(
      structure({
        S3Bucket: optional(string({ min: 3, max: 63 }), 'Bucket of the archive.'),
        S3Key: optional(string({ min: 1, max: 1024 }), 'Key of the archive.'),
        S3ObjectVersion: optional(string({ min: 1, max: 1024 }), 'Version of the archive.'),
        ZipFile: optional(
          { ...blob, sensitive: true },
          'The zip archive itself; a file by fileb://.',
        ),
      }),
      'Where the archive comes from.',
    ),
    CompatibleRuntimes: optional(
      list(string({ values: supportedRuntimes, unnamed: [...runtimeNames, ...newerRuntimes] }), {
        max: 15,
        namesItemsAsOne: true,
      }),
      'Runtimes that it is for.',
    ),
    LicenseInfo: optional(string({ max: 512 }), 'License.'),
    CompatibleArchitectures: optional(
      list(architecture, { max: 2, itemsNotNull: true }),
      'Instruction sets that it is for.',
    ),
  }),
  output: layerVersion,
});

export const getLayerVersion = operation({
  name: 'GetLayerVersion',
  about: 'Tells everything about a version of a layer, with a link that downloads it.',
  method: 'GET',
  path: version,
  status: 200,
  input: structure({ LayerName: layerName, VersionNumber: versionNumber }),
  output: layerVersion,
});

export const getLayerVersionByArn = operation({
  name: 'GetLayerVersionByArn',
  about: 'Tells everything about the version of a layer that an ARN names.',
  method: 'GET',
  path: `${base}?find=LayerVersion`,
  status: 200,
  input: structure({
    Arn: required(
      string({ min: 1, max: 2048, pattern: layerVersionArnPattern }),
      'ARN of the version.',
      inQuery('Arn'),
    ),
  }),
  output: layerVersion,
});

export const deleteLayerVersion = operation({
  name: 'DeleteLayerVersion',
  about: 'Deletes a version of a layer; functions that have it keep it.',
  method: 'DELETE',
  path: version,
  status: 204,
  input: structure({ LayerName: layerName, VersionNumber: versionNumber }),
  output: nothing,
});

export const listLayerVersions = operation({
  name: 'ListLayerVersions',
  about: 'Lists the versions of a layer, the newest first.',
  method: 'GET',
  path: `${base}/{LayerName}/versions`,
  status: 200,
  input: structure({ LayerName: layerName, ...filters }),
  output: structure({
    NextMarker: nextMarker,
    LayerVersions: optional(list(listedVersion, {}), 'The versions.'),
  }),
  pages: pagesOf('LayerVersions'),
});

export const listLayers = operation({
  name: 'ListLayers',
  about: 'Lists layers with the newest version of each.',
  method: 'GET',
  path: base,
  status: 200,
  input: structure(filters),
  output: structure({
    NextMarker: nextMarker,
    Layers: optional(
      list(
        structure({
          LayerName: optional(text, 'Name of the layer.'),
          LayerArn: optional(text, 'ARN of the layer.'),
          LatestMatchingVersion: optional(listedVersion, 'Its newest version.'),
        }),
        {},
      ),
      'The layers.',
    ),
  }),
  pages: pagesOf('Layers'),
});

export const addLayerVersionPermission = operation({
  name: 'AddLayerVersionPermission',
  about: 'Lets other accounts use a version of a layer.',
  method: 'POST',
  path: `${version}/policy`,
  status: 201,
  input: structure({
    LayerName: layerName,
    VersionNumber: versionNumber,
    StatementId: required(statementId, 'Name of the statement; each is there once.'),
    Action: required(
      string({ max: 22, pattern: 'lambda:GetLayerVersion' }),
      'What is allowed: lambda:GetLayerVersion.',
    ),
    Principal: required(
      string({ pattern: String.raw`\d{12}|\*|arn:(aws[a-zA-Z-]*):iam::\d{12}:root` }),
      'Account that is allowed; * for everybody.',
    ),
    OrganizationId: optional(
      string({ min: 12, max: 34, pattern: 'o-[a-z0-9]{10,32}' }),
      'Organization whose accounts are allowed; with * as the principal.',
    ),
    RevisionId: optional(
      text,
      'Add only if the policy still has this revision.',
      inQuery('RevisionId'),
    ),
  }),
  output: structure({
    Statement: optional(text, 'The statement, as JSON.'),
    RevisionId: optional(text, 'Revision of the policy.'),
  }),
});

export const getLayerVersionPolicy = operation({
  name: 'GetLayerVersionPolicy',
  about: 'Tells who else may use a version of a layer.',
  method: 'GET',
  path: `${version}/policy`,
  status: 200,
  input: structure({ LayerName: layerName, VersionNumber: versionNumber }),
  output: structure({
    Policy: optional(text, 'The policy, as JSON.'),
    RevisionId: optional(text, 'Revision of the policy.'),
  }),
});

export const removeLayerVersionPermission = operation({
  name: 'RemoveLayerVersionPermission',
  about: 'Takes one statement out of the policy of a layer version.',
  method: 'DELETE',
  path: `${version}/policy/{StatementId}`,
  status: 204,
  input: structure({
    LayerName: layerName,
    VersionNumber: versionNumber,
    StatementId: required(statementId, 'Name of the statement.', inPath),
    RevisionId: optional(
      text,
      'Remove only if the policy still has this revision.',
      inQuery('RevisionId'),
    ),
  }),
  output: nothing,
});
