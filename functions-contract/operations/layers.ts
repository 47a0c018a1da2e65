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
  CompatibleRuntimes: optional(list(text, {}), 'Compatible runtimes.'),
  CompatibleArchitectures: optional(list(text, {}), 'Compatible instruction sets.'),
} as const;

const content = structure({
  Location: optional(text, 'URL to download the archive; valid for ten minutes.'),
  CodeSha256: optional(text, 'SHA-256 of the archive.'),
  CodeSize: optional(long, 'Size of the archive, in bytes.'),
});

const shown = {
  Description: optional(text, 'Description.'),
  CreatedDate: optional(text, 'Time of publication.'),
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
    'Lists only versions for this runtime.',
    inQuery('CompatibleRuntime'),
  ),
  CompatibleArchitecture: optional(
    architecture,
    'Lists only versions for this instruction set.',
    inQuery('CompatibleArchitecture'),
  ),
  Marker: marker,
  MaxItems: maxItems(50),
} as const;

export const publishLayerVersion = operation({
  name: 'PublishLayerVersion',
  description:
    'Publishes a version of a layer from a zip archive. Functions see its content at /opt.',
  method: 'POST',
  path: `${base}/{LayerName}/versions`,
  status: 201,
  requestBytesMax: codeRequestBytesMax,
  input: structure({
    LayerName: layerName,
    Description: optional(string({ min: 0, max: 256 }), 'Description.'),
    Content: required(
      structure({
        S3Bucket: optional(string({ min: 3, max: 63 }), 'S3 bucket of the zip archive.'),
        S3Key: optional(string({ min: 1, max: 1024 }), 'S3 object key of the zip archive.'),
        S3ObjectVersion: optional(
          string({ min: 1, max: 1024 }),
          'S3 object version of the zip archive.',
        ),
        ZipFile: optional(
          { ...blob, sensitive: true },
          'Contents of the zip archive; use fileb:// to read a file.',
        ),
      }),
      'Content of the layer.',
    ),
    CompatibleRuntimes: optional(
      list(string({ values: supportedRuntimes, unnamed: [...runtimeNames, ...newerRuntimes] }), {
        max: 15,
        namesItemsAsOne: true,
      }),
      'Compatible runtimes.',
    ),
    LicenseInfo: optional(string({ max: 512 }), 'License.'),
    CompatibleArchitectures: optional(
      list(architecture, { max: 2, itemsNotNull: true }),
      'Compatible instruction sets.',
    ),
  }),
  output: layerVersion,
});

export const getLayerVersion = operation({
  name: 'GetLayerVersion',
  description: 'Shows a version of a layer, with a URL to download it.',
  method: 'GET',
  path: version,
  status: 200,
  input: structure({ LayerName: layerName, VersionNumber: versionNumber }),
  output: layerVersion,
});

export const getLayerVersionByArn = operation({
  name: 'GetLayerVersionByArn',
  description: 'Shows the version of a layer with an ARN.',
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
  description: 'Deletes a version of a layer. Functions that use it are not affected.',
  method: 'DELETE',
  path: version,
  status: 204,
  input: structure({ LayerName: layerName, VersionNumber: versionNumber }),
  output: nothing,
});

export const listLayerVersions = operation({
  name: 'ListLayerVersions',
  description: 'Lists the versions of a layer, newest first.',
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
  description: 'Lists layers with their newest versions.',
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
          LatestMatchingVersion: optional(listedVersion, 'Newest version of the layer.'),
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
  description: 'Adds a statement to the policy of a layer version.',
  method: 'POST',
  path: `${version}/policy`,
  status: 201,
  input: structure({
    LayerName: layerName,
    VersionNumber: versionNumber,
    StatementId: required(statementId, 'Id of the statement; unique within the policy.'),
    Action: required(
      string({ max: 22, pattern: 'lambda:GetLayerVersion' }),
      'Allowed action: lambda:GetLayerVersion.',
    ),
    Principal: required(
      string({ pattern: String.raw`\d{12}|\*|arn:(aws[a-zA-Z-]*):iam::\d{12}:root` }),
      'Account that is granted access; * for all accounts.',
    ),
    OrganizationId: optional(
      string({ min: 12, max: 34, pattern: 'o-[a-z0-9]{10,32}' }),
      'Organization whose accounts are granted access; with * as the principal.',
    ),
    RevisionId: optional(
      text,
      'Adds only if the policy still has this revision.',
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
  description: 'Shows the policy of a layer version.',
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
  description: 'Removes a statement from the policy of a layer version.',
  method: 'DELETE',
  path: `${version}/policy/{StatementId}`,
  status: 204,
  input: structure({
    LayerName: layerName,
    VersionNumber: versionNumber,
    StatementId: required(statementId, 'Id of the statement.', inPath),
    RevisionId: optional(
      text,
      'Removes only if the policy still has this revision.',
      inQuery('RevisionId'),
    ),
  }),
  output: nothing,
});
