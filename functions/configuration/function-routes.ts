import {
  listFunctions as listFunctionsOperation,
  getFunction,
  createFunction,
  deleteFunction as deleteFunctionOperation,
} from '#functions-contract/operations/functions.ts';
import type { StructureOf } from '#functions-contract/shape.ts';
import type { Sql } from '#platform/database/database.ts';
import { present } from '#platform/present.ts';

import { checkAgainst, findConfigForFunction } from '../code-signing/check-deployment.ts';
import { codeLocation } from '../code/code-location.ts';
import { deleteProvisioned } from '../concurrency/concurrency-store.ts';
import { invalidParameter, FunctionsError } from '../errors/functions-error.ts';
import { forgetHandling } from '../events/event-invoke-config-store.ts';
import {
  bindOperation,
  type OperationHandler,
  type CreateHandler,
  type FunctionPorts,
} from '../http/call.ts';
import { markerNumber, pageOf, readMarker } from '../json/paging.ts';
import { readFunctionName, checkNewName, namesAlias } from '../model/function-name.ts';
import { deleteStatements } from '../permissions/policy-store.ts';
import { provisionLater } from '../provisioning/provision.ts';
import { checkTags } from '../tags/tag-store.ts';
import { findAliasOfVersion } from '../versions/alias-store.ts';
import { findReferred, functionNotFound, refusePublishTo } from '../versions/find-function.ts';
import { type Configuration, newConfiguration, type SettingsOnly } from './configuration.ts';
import { type ConfigurationChange, planChange } from './plan-change.ts';
import {
  versionNumberOf,
  creating,
  type FunctionVersion,
  readVersionName,
} from './function-record.ts';
import {
  listFunctions,
  findFunction,
  findVersion,
  insertConfiguration,
  insertFunction,
  insertVersion,
  takeVersionNumber,
  deleteFunction,
  deleteVersion,
  listVersionIds,
} from './function-store.ts';
import { ingestFunctionCode } from './ingest-function-code.ts';
import { representItem, represent } from './configuration-json.ts';

/** Functions. */
export const functionRoutes: readonly CreateHandler[] = [
  serveListFunctions,
  serveGetFunction,
  serveCreateFunction,
  serveDeleteFunction,
];

type ListFunctionsOutput = StructureOf<(typeof listFunctionsOperation)['output']>;

function serveListFunctions(ports: FunctionPorts): OperationHandler {
  return bindOperation(listFunctionsOperation, async (input): Promise<ListFunctionsOutput> => {
    const all = input.FunctionVersion === 'ALL';
    // Replicas of another region's Lambda@Edge functions: there are none.
    if (input.MasterRegion !== undefined) {
      if (all) return { Functions: [] };
      throw invalidParameter('MasterRegion requires FunctionVersion ALL.');
    }
    const [name = '', number = '-1'] = readMarker(input.Marker);
    const after = { name, number: markerNumber(number) };
    const page = await pageOf(
      input.MaxItems,
      (limit) => ports.database.read((sql) => listFunctions(sql, after, all, limit)),
      (last) => [last.name, String(versionNumberOf(last))],
    );
    const Functions = await Promise.all(
      page.items.map((item) => representItem(ports, item, all ? item.version : undefined)),
    );
    return page.marker === undefined ? { Functions } : { Functions, NextMarker: page.marker };
  });
}

type GetFunctionOutput = StructureOf<(typeof getFunction)['output']>;

function serveGetFunction(ports: FunctionPorts): OperationHandler {
  const { database, settings } = ports;
  return bindOperation(
    getFunction,
    async ({ FunctionName, Qualifier }): Promise<GetFunctionOutput> => {
      const reference = readFunctionName(FunctionName, settings, Qualifier);
      const found = await database.read(async (sql) => {
        const version = await findReferred(sql, reference);
        const facts = version && (await findFunction(sql, version.name));
        return version && facts && { version, facts };
      });
      if (!found) throw functionNotFound(settings, reference.name, reference.qualifier);
      const { version, facts } = found;
      return {
        Configuration: await represent(ports, version, reference.qualifier),
        Code: representCode(version.desired.configuration, ports),
        ...(Object.keys(facts.tags).length > 0 ? { Tags: facts.tags } : {}),
        ...(facts.reservedConcurrency === undefined
          ? {}
          : { Concurrency: { ReservedConcurrentExecutions: facts.reservedConcurrency } }),
      };
    },
  );
}

function representCode(
  { Code }: Configuration,
  ports: FunctionPorts,
): NonNullable<GetFunctionOutput['Code']> {
  if (!Code.image) return { RepositoryType: 'S3', Location: codeLocation(ports, Code.sha256) };
  const { uri, resolvedUri } = Code.image;
  return { RepositoryType: 'ECR', ImageUri: uri, ResolvedImageUri: resolvedUri };
}

function serveCreateFunction(ports: FunctionPorts): OperationHandler {
  return bindOperation(createFunction, async (input, { principal, warn }) => {
    const { FunctionName, Code, Tags, Publish, PackageType, Architectures, ...rest } = input;
    const { TenancyConfig, CodeSigningConfigArn, PublishTo, ...given } = rest;
    const settings: SettingsOnly<typeof given> = given;
    refusePublishTo(PublishTo);
    const { name } = readFunctionName(FunctionName, ports.settings);
    checkNewName(name);
    checkTags(Tags ?? {});
    const packageType = PackageType ?? createFunction.input.members.PackageType.default;
    const architecture = Architectures?.[0] ?? 'x86_64';
    const signing = async (sql: Sql): Promise<Signing | undefined> =>
      CodeSigningConfigArn === undefined
        ? undefined
        : signingOf(sql, ports, { arn: CodeSigningConfigArn, packageType, name });
    // Checked before the code is read, and again when the function is stored.
    const warning = (await ports.database.read(signing))?.warning;
    if (warning !== undefined) warn(warning);
    const versions = Publish === true ? 2 : 1;
    const requirements = { packageType, architecture, versions, replacedBytes: 0, principal };
    return ingestFunctionCode(ports, requirements, Code, async (code) => {
      const defaults = newConfiguration({
        functionName: name,
        role: input.Role,
        packageType,
        architecture,
        code,
      });
      // The kind of the function is decided here and cannot change.
      const { CapacityProviderConfig } = settings;
      const initial = { ...defaults, ...present({ TenancyConfig, CapacityProviderConfig }) };
      const created = await planChange(ports, name, initial, undefined, settings, principal.arn);
      const facts = { name, tags: Tags ?? {}, publish: Publish ?? false, signing };
      const version = await store(ports, created, facts);
      return represent(ports, version);
    });
  });
}

interface Signing {
  readonly configId: number;
  readonly warning: string;
}

/** The code signing configuration of a new function, or a refusal of its code. */
async function signingOf(
  sql: Sql,
  { settings }: FunctionPorts,
  request: { readonly arn: string; readonly packageType: 'Zip' | 'Image'; readonly name: string },
): Promise<Signing> {
  const config = await findConfigForFunction(sql, settings, request.arn, request.packageType);
  return { configId: config.id, warning: checkAgainst(config, settings, request.name) };
}

interface NewFacts {
  readonly name: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly publish: boolean;
  readonly signing: (sql: Sql) => Promise<Signing | undefined>;
}

interface Inserted {
  readonly versionIds: ReadonlySet<number>;
  readonly version: FunctionVersion | undefined;
}

/** With `Publish`, the response describes the first version. */
async function store(
  ports: FunctionPorts,
  { configuration, variables }: ConfigurationChange,
  { name, tags, publish, signing }: NewFacts,
): Promise<FunctionVersion> {
  const { database, clock, random } = ports;
  const now = clock.now();
  const ids = [random.id(), random.id()] as const;
  const insert = async (sql: Sql): Promise<Inserted> => {
    const codeSigningConfigId = (await signing(sql))?.configId;
    const created = { name, tags, createdAt: now, codeSigningConfigId };
    const functionId = await insertFunction(sql, created);
    if (functionId === undefined) throw alreadyExists(name);
    const configurationId = await insertConfiguration(sql, functionId, configuration, variables);
    const state = {
      configurationId,
      activeConfigurationId: undefined,
      lastModified: now,
      state: { value: 'Pending', reason: creating },
      lastUpdate: undefined,
    } as const;
    const latestId = await insertVersion(sql, functionId, 0, { ...state, revisionId: ids[0] });
    const number = publish ? await takeVersionNumber(sql, functionId) : 0;
    const publishedId = publish
      ? await insertVersion(sql, functionId, number, { ...state, revisionId: ids[1] })
      : latestId;
    return {
      versionIds: new Set([latestId, publishedId]),
      version: await findVersion(sql, name, number),
    };
  };
  const { versionIds, version } = await ports.codeStorage.write(
    database,
    configuration.Code.size,
    insert,
  );
  if (!version) throw new Error('The function that was just stored is not there.');
  for (const id of versionIds) provisionLater(ports, id);
  return version;
}

function alreadyExists(name: string): FunctionsError {
  return new FunctionsError('ResourceConflictException', `Function already exist: ${name}`, {
    withoutFault: true,
  });
}

type DeleteFunctionOutput = StructureOf<(typeof deleteFunctionOperation)['output']>;

/** Deletes a function with everything that belongs to it, or one version; deleting a missing version succeeds. */
function serveDeleteFunction(ports: FunctionPorts): OperationHandler {
  const { database, settings, environments } = ports;
  return bindOperation(
    deleteFunctionOperation,
    async ({ FunctionName, Qualifier }): Promise<DeleteFunctionOutput> => {
      const { name, qualifier } = readFunctionName(FunctionName, settings, Qualifier);
      if (qualifier !== undefined && namesAlias(qualifier)) throw aliasesStay();
      if (qualifier !== undefined && readVersionName(qualifier) === 0) throw latestStays();
      const gone = await database.write(async (sql) => {
        const found = await findFunction(sql, name);
        if (!found || qualifier === '$latest') throw functionNotFound(settings, name);
        if (qualifier === undefined) {
          const ids = await listVersionIds(sql, found.id);
          await deleteFunction(sql, found.id);
          return ids;
        }
        const number = readVersionName(qualifier);
        const alias = await findAliasOfVersion(sql, found.id, number);
        if (alias !== undefined) throw standsForAlias(qualifier, alias);
        const version = await findVersion(sql, name, number);
        await deleteVersion(sql, found.id, number);
        await deleteStatements(sql, found.id, qualifier);
        await deleteProvisioned(sql, found.id, qualifier);
        await forgetHandling(sql, found.id, qualifier);
        return version ? [version.id] : [];
      });
      for (const id of gone) environments.drain(id);
      return { StatusCode: 204 };
    },
  );
}

function standsForAlias(version: string, alias: string): Error {
  return new FunctionsError(
    'ResourceConflictException',
    `Version ${version} cannot be deleted: alias ${alias} points to it. Update or delete the alias first.`,
  );
}

/** Reported before the function is looked up (recorded). */
function aliasesStay(): Error {
  return invalidParameter('Deletion of aliases is not currently supported.');
}

/** Likewise (recorded). */
function latestStays(): Error {
  return invalidParameter('$LATEST version cannot be deleted without deleting the function.');
}
