import {
  listLayers as listLayersOperation,
  listLayerVersions as listLayerVersionsOperation,
  getLayerVersion,
  getLayerVersionByArn,
  publishLayerVersion,
  deleteLayerVersion as deleteLayerVersionOperation,
  getLayerVersionPolicy,
  addLayerVersionPermission,
  removeLayerVersionPermission,
} from '#functions-contract/operations/layers.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { recordCode } from '../code/code-store.ts';
import { checkRevision } from '../configuration/function-record.ts';
import { ingestFunctionCode } from '../configuration/ingest-function-code.ts';
import { invalidParameter, noSuchResource } from '../errors/functions-error.ts';
import {
  bindOperation,
  type OperationHandler,
  type CreateHandler,
  type FunctionPorts,
} from '../http/call.ts';
import { markerNumber, pageOf, readMarker } from '../json/paging.ts';
import {
  checkPolicyLength,
  noPolicy,
  statementExists,
  noStatement,
  policyText,
  conditionOf,
  readPrincipal,
  type Statement,
} from '../permissions/statement.ts';
import {
  ownLayerName,
  findLayerOrRefuse,
  checkVersionNumber,
  findPolicyLayer,
} from './find-layer.ts';
import { representListed, representLayerVersion, type LayerVersionOutput } from './layer-json.ts';
import {
  findLayerPolicy,
  insertLayerStatement,
  deleteLayerStatement,
} from './layer-policy-store.ts';
import {
  listLayers,
  listLayerVersions,
  insertLayerVersion,
  deleteLayerVersion,
} from './layer-store.ts';
import { layerArn, readLayerVersionArn, layerVersionArn } from './layer.ts';

/** Layers, their versions and the policies of versions. */
export const layerRoutes: readonly CreateHandler[] = [
  serveListLayers,
  serveListLayerVersions,
  serveGetLayerVersion,
  serveGetLayerVersionByArn,
  servePublishLayerVersion,
  serveDeleteLayerVersion,
  serveGetLayerVersionPolicy,
  serveAddLayerVersionPermission,
  serveRemoveLayerVersionPermission,
];

type ListLayersOutput = StructureOf<(typeof listLayersOperation)['output']>;

function serveListLayers({ database, settings }: FunctionPorts): OperationHandler {
  return bindOperation(listLayersOperation, async (input): Promise<ListLayersOutput> => {
    const [after] = readMarker(input.Marker);
    const filter = {
      runtime: input.CompatibleRuntime,
      architecture: input.CompatibleArchitecture,
    };
    const page = await pageOf(
      input.MaxItems,
      (size) => database.read((sql) => listLayers(sql, filter, { after, size })),
      ({ name }) => [name],
    );
    const Layers = page.items.map((layer) => ({
      LayerName: layer.name,
      LayerArn: layerArn(settings, layer.name),
      LatestMatchingVersion: representListed(layer, settings),
    }));
    return page.marker === undefined ? { Layers } : { Layers, NextMarker: page.marker };
  });
}

type ListLayerVersionsOutput = StructureOf<(typeof listLayerVersionsOperation)['output']>;

/** The list of a missing layer is empty. */
function serveListLayerVersions({ database, settings }: FunctionPorts): OperationHandler {
  return bindOperation(
    listLayerVersionsOperation,
    async (input): Promise<ListLayerVersionsOutput> => {
      const name = ownLayerName(input.LayerName, settings);
      if (name === undefined) return { LayerVersions: [] };
      const [last] = readMarker(input.Marker);
      const after = last === undefined ? undefined : markerNumber(last);
      const filter = {
        runtime: input.CompatibleRuntime,
        architecture: input.CompatibleArchitecture,
      };
      const page = await pageOf(
        input.MaxItems,
        (size) => database.read((sql) => listLayerVersions(sql, name, filter, { after, size })),
        ({ version }) => [String(version)],
      );
      const LayerVersions = page.items.map((layer) => representListed(layer, settings));
      return page.marker === undefined
        ? { LayerVersions }
        : { LayerVersions, NextMarker: page.marker };
    },
  );
}

function serveGetLayerVersion(ports: FunctionPorts): OperationHandler {
  const { database, settings } = ports;
  return bindOperation(getLayerVersion, async (named): Promise<LayerVersionOutput> => {
    const layer = await database.read((sql) => findLayerOrRefuse(sql, settings, named));
    return representLayerVersion(layer, ports);
  });
}

function serveGetLayerVersionByArn(ports: FunctionPorts): OperationHandler {
  const { database, settings } = ports;
  return bindOperation(getLayerVersionByArn, async ({ Arn }): Promise<LayerVersionOutput> => {
    const named = readLayerVersionArn(Arn);
    if (!named) throw noSuchResource();
    const layer = await database.read((sql) =>
      findLayerOrRefuse(sql, settings, {
        LayerName: layerArn(named, named.name),
        VersionNumber: named.version,
      }),
    );
    return representLayerVersion(layer, ports);
  });
}

function servePublishLayerVersion(ports: FunctionPorts): OperationHandler {
  const { database, clock, settings } = ports;
  return bindOperation(
    publishLayerVersion,
    async (input, { principal }): Promise<LayerVersionOutput> => {
      const name = ownLayerName(input.LayerName, settings);
      if (name === undefined) throw noSuchResource();
      const archive = {
        packageType: 'Zip',
        architecture: 'x86_64',
        versions: 1,
        replacedBytes: 0,
        principal,
      } as const;
      const layer = await ingestFunctionCode(ports, archive, input.Content, (code) => {
        const createdAt = clock.now();
        return ports.codeStorage.write(database, code.size, async (sql) => {
          await recordCode(sql, code, createdAt);
          return insertLayerVersion(sql, {
            name,
            content: code,
            description: input.Description ?? '',
            licenseInfo: input.LicenseInfo,
            compatibleRuntimes: input.CompatibleRuntimes,
            compatibleArchitectures: input.CompatibleArchitectures,
            createdAt,
          });
        });
      });
      return representLayerVersion(layer, ports);
    },
  );
}

/** Deleting a missing version succeeds. */
function serveDeleteLayerVersion(ports: FunctionPorts): OperationHandler {
  const { database, settings, clock } = ports;
  return bindOperation(deleteLayerVersionOperation, async (named) => {
    checkVersionNumber(named);
    const name = ownLayerName(named.LayerName, settings);
    if (name === undefined) return {};
    const now = clock.now();
    await database.write((sql) => deleteLayerVersion(sql, name, named.VersionNumber, now));
    return {};
  });
}

type GetLayerVersionPolicyOutput = StructureOf<(typeof getLayerVersionPolicy)['output']>;

function serveGetLayerVersionPolicy(ports: FunctionPorts): OperationHandler {
  const { database, settings } = ports;
  return bindOperation(
    getLayerVersionPolicy,
    async (named): Promise<GetLayerVersionPolicyOutput> => {
      const policy = await database.read(async (sql) => {
        const { id } = await findPolicyLayer(sql, settings, named);
        return findLayerPolicy(sql, id);
      });
      if (!policy) throw noPolicy();
      return { Policy: policyText(policy.statements), RevisionId: policy.revision };
    },
  );
}

type AddLayerVersionPermissionOutput = StructureOf<(typeof addLayerVersionPermission)['output']>;

function serveAddLayerVersionPermission(ports: FunctionPorts): OperationHandler {
  const { database, settings, random } = ports;
  return bindOperation(
    addLayerVersionPermission,
    async (input): Promise<AddLayerVersionPermissionOutput> => {
      const { OrganizationId, Principal, StatementId } = input;
      if (OrganizationId !== undefined && Principal !== '*') {
        throw invalidParameter('The principal must be * when OrganizationId is set.');
      }
      const condition = conditionOf(
        OrganizationId === undefined ? {} : { PrincipalOrgID: OrganizationId },
      );
      const RevisionId = random.id();
      return database.write(async (sql) => {
        const layer = await findPolicyLayer(sql, settings, input);
        const policy = await findLayerPolicy(sql, layer.id);
        checkRevision({ revisionId: policy?.revision ?? '' }, input.RevisionId, 'GetLayerPolicy');
        const statement: Statement = {
          Sid: StatementId,
          Effect: 'Allow',
          Principal: readPrincipal(Principal),
          Action: input.Action,
          Resource: layerVersionArn(settings, layer.name, layer.version),
          ...(condition && { Condition: condition }),
        };
        const Statement = JSON.stringify(statement);
        if (policy?.statements.some(({ id }) => id === StatementId)) {
          throw statementExists(StatementId);
        }
        const added = { id: StatementId, text: Statement };
        checkPolicyLength([...(policy?.statements ?? []), added]);
        await insertLayerStatement(sql, layer.id, added, RevisionId);
        return { Statement, RevisionId };
      });
    },
  );
}

function serveRemoveLayerVersionPermission(ports: FunctionPorts): OperationHandler {
  const { database, settings, random } = ports;
  return bindOperation(removeLayerVersionPermission, async (input) => {
    const next = random.id();
    await database.write(async (sql) => {
      const { id } = await findPolicyLayer(sql, settings, input);
      const policy = await findLayerPolicy(sql, id);
      if (!policy) throw noPolicy();
      checkRevision({ revisionId: policy.revision }, input.RevisionId, 'GetLayerPolicy');
      const deleted = await deleteLayerStatement(sql, id, input.StatementId, next);
      if (!deleted) throw noStatement(input.StatementId);
    });
    return {};
  });
}
