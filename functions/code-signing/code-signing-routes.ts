import { withDefaults } from '#functions-contract/defaults.ts';
import {
  listCodeSigningConfigs,
  getCodeSigningConfig,
  createCodeSigningConfig,
  updateCodeSigningConfig,
  deleteCodeSigningConfig,
  listFunctionsByCodeSigningConfig,
  getFunctionCodeSigningConfig,
  putFunctionCodeSigningConfig,
  deleteFunctionCodeSigningConfig,
} from '#functions-contract/operations/code-signing.ts';
import type { StructureOf } from '#functions-contract/shape.ts';
import type { Sql } from '#platform/database/database.ts';

import { FunctionsError } from '../errors/functions-error.ts';
import {
  bindOperation,
  type OperationHandler,
  type CreateHandler,
  type FunctionPorts,
} from '../http/call.ts';
import { pageOf, readMarker, readNumberMarker } from '../json/paging.ts';
import { functionArn, readFunctionName, type AccountRegion } from '../model/function-name.ts';
import { checkTags } from '../tags/tag-store.ts';
import { checkUnqualified, findLatest } from '../versions/find-function.ts';
import { findConfigForFunction } from './check-deployment.ts';
import {
  representCodeSigningConfig,
  codeSigningConfigArn,
  configIdIn,
  noSuchConfig,
  type CodeSigningConfig,
} from './code-signing-config.ts';
import {
  listConfigs,
  insertCodeSigningConfig,
  replaceCodeSigningConfig,
  listFunctionsOfConfig,
  removeCodeSigningConfig,
  findCodeSigningConfigOfFunction,
  setCodeSigningConfigOfFunction,
  findCodeSigningConfig,
} from './code-signing-store.ts';

/** Code signing configurations, and the one of a function. */
export const codeSigningRoutes: readonly CreateHandler[] = [
  serveListCodeSigningConfigs,
  serveGetCodeSigningConfig,
  serveCreateCodeSigningConfig,
  serveUpdateCodeSigningConfig,
  serveDeleteCodeSigningConfig,
  serveListFunctionsByCodeSigningConfig,
  serveGetFunctionCodeSigningConfig,
  servePutFunctionCodeSigningConfig,
  serveDeleteFunctionCodeSigningConfig,
];

type ListCodeSigningConfigsOutput = StructureOf<(typeof listCodeSigningConfigs)['output']>;

function serveListCodeSigningConfigs({ database, settings }: FunctionPorts): OperationHandler {
  return bindOperation(
    listCodeSigningConfigs,
    async (input): Promise<ListCodeSigningConfigsOutput> => {
      const after = readNumberMarker(input.Marker);
      const page = await pageOf(
        input.MaxItems,
        (limit) => database.read((sql) => listConfigs(sql, after, limit)),
        ({ id }) => [String(id)],
      );
      const CodeSigningConfigs = page.items.map((config) =>
        representCodeSigningConfig(config, settings),
      );
      return page.marker === undefined
        ? { CodeSigningConfigs }
        : { CodeSigningConfigs, NextMarker: page.marker };
    },
  );
}

type GetCodeSigningConfigOutput = StructureOf<(typeof getCodeSigningConfig)['output']>;

function serveGetCodeSigningConfig({ database, settings }: FunctionPorts): OperationHandler {
  return bindOperation(
    getCodeSigningConfig,
    async ({ CodeSigningConfigArn }): Promise<GetCodeSigningConfigOutput> => {
      const config = await database.read((sql) =>
        findConfigOrRefuse(sql, settings, CodeSigningConfigArn),
      );
      return { CodeSigningConfig: representCodeSigningConfig(config, settings) };
    },
  );
}

type CreateCodeSigningConfigOutput = StructureOf<(typeof createCodeSigningConfig)['output']>;

function serveCreateCodeSigningConfig(ports: FunctionPorts): OperationHandler {
  const { database, settings, clock, random } = ports;
  return bindOperation(
    createCodeSigningConfig,
    async (input): Promise<CreateCodeSigningConfigOutput> => {
      const { Tags = {} } = input;
      checkTags(Tags);
      const { CodeSigningPolicies } = withDefaults(createCodeSigningConfig.input, input);
      const config = {
        configId: `csc-${random.bytes(9).toString('hex').slice(0, 17)}`,
        description: input.Description ?? '',
        publishers: input.AllowedPublishers.SigningProfileVersionArns,
        untrustedArtifacts: CodeSigningPolicies.UntrustedArtifactOnDeployment,
        tags: Tags,
        lastModified: clock.now(),
      };
      await database.write((sql) => insertCodeSigningConfig(sql, config));
      return { CodeSigningConfig: representCodeSigningConfig(config, settings) };
    },
  );
}

type UpdateCodeSigningConfigOutput = StructureOf<(typeof updateCodeSigningConfig)['output']>;

/** Absent members of the input do not change. */
function serveUpdateCodeSigningConfig(ports: FunctionPorts): OperationHandler {
  const { database, settings, clock } = ports;
  return bindOperation(
    updateCodeSigningConfig,
    async (input): Promise<UpdateCodeSigningConfigOutput> => {
      const lastModified = clock.now();
      const changed = await database.write(async (sql) => {
        const config = await findConfigOrRefuse(sql, settings, input.CodeSigningConfigArn);
        const { AllowedPublishers, CodeSigningPolicies } = input;
        const next = {
          ...config,
          description: input.Description ?? config.description,
          publishers: AllowedPublishers?.SigningProfileVersionArns ?? config.publishers,
          untrustedArtifacts:
            CodeSigningPolicies?.UntrustedArtifactOnDeployment ?? config.untrustedArtifacts,
          lastModified,
        };
        await replaceCodeSigningConfig(sql, next);
        return next;
      });
      return { CodeSigningConfig: representCodeSigningConfig(changed, settings) };
    },
  );
}

function serveDeleteCodeSigningConfig({ database, settings }: FunctionPorts): OperationHandler {
  return bindOperation(deleteCodeSigningConfig, async ({ CodeSigningConfigArn }) => {
    await database.write(async (sql) => {
      const { id } = await findConfigOrRefuse(sql, settings, CodeSigningConfigArn);
      const [user] = await listFunctionsOfConfig(sql, id, '', 1);
      if (user !== undefined) {
        throw new FunctionsError(
          'ResourceConflictException',
          `The code signing configuration ${CodeSigningConfigArn} is in use by functions. Remove it from them first.`,
        );
      }
      await removeCodeSigningConfig(sql, id);
    });
    return {};
  });
}

type ListFunctionsByCodeSigningConfigOutput = StructureOf<
  (typeof listFunctionsByCodeSigningConfig)['output']
>;

function serveListFunctionsByCodeSigningConfig(ports: FunctionPorts): OperationHandler {
  const { database, settings } = ports;
  return bindOperation(
    listFunctionsByCodeSigningConfig,
    async (input): Promise<ListFunctionsByCodeSigningConfigOutput> => {
      const [after = ''] = readMarker(input.Marker);
      const page = await pageOf(
        input.MaxItems,
        (limit) =>
          database.read(async (sql) => {
            const { id } = await findConfigOrRefuse(sql, settings, input.CodeSigningConfigArn);
            return listFunctionsOfConfig(sql, id, after, limit);
          }),
        (name) => [name],
      );
      const FunctionArns = page.items.map((name) => functionArn(settings, name));
      return page.marker === undefined
        ? { FunctionArns }
        : { FunctionArns, NextMarker: page.marker };
    },
  );
}

type GetFunctionCodeSigningConfigOutput = StructureOf<
  (typeof getFunctionCodeSigningConfig)['output']
>;

/** An empty object, as recorded where nothing is set. */
function serveGetFunctionCodeSigningConfig(ports: FunctionPorts): OperationHandler {
  const { database, settings } = ports;
  return bindOperation(
    getFunctionCodeSigningConfig,
    async ({ FunctionName }): Promise<GetFunctionCodeSigningConfigOutput> => {
      const reference = readFunctionName(FunctionName, settings);
      checkUnqualified(reference);
      const config = await database.read(async (sql) => {
        const { functionId } = await findLatest(sql, settings, reference);
        return findCodeSigningConfigOfFunction(sql, functionId);
      });
      return config
        ? {
            CodeSigningConfigArn: codeSigningConfigArn(settings, config.configId),
            FunctionName: reference.name,
          }
        : {};
    },
  );
}

type PutFunctionCodeSigningConfigOutput = StructureOf<
  (typeof putFunctionCodeSigningConfig)['output']
>;

/** The function's current code stays; the next deployment is checked against the configuration. */
function servePutFunctionCodeSigningConfig(ports: FunctionPorts): OperationHandler {
  const { database, settings } = ports;
  return bindOperation(
    putFunctionCodeSigningConfig,
    async (input): Promise<PutFunctionCodeSigningConfigOutput> => {
      const { CodeSigningConfigArn } = input;
      const reference = readFunctionName(input.FunctionName, settings);
      const name = checkUnqualified(reference);
      await database.write(async (sql) => {
        const { functionId, desired } = await findLatest(sql, settings, reference);
        const { PackageType } = desired.configuration;
        const config = await findConfigForFunction(
          sql,
          settings,
          CodeSigningConfigArn,
          PackageType,
        );
        await setCodeSigningConfigOfFunction(sql, functionId, config.id);
      });
      return { CodeSigningConfigArn, FunctionName: name };
    },
  );
}

function serveDeleteFunctionCodeSigningConfig(ports: FunctionPorts): OperationHandler {
  const { database, settings } = ports;
  return bindOperation(deleteFunctionCodeSigningConfig, async ({ FunctionName }) => {
    const reference = readFunctionName(FunctionName, settings);
    checkUnqualified(reference);
    await database.write(async (sql) => {
      const { functionId } = await findLatest(sql, settings, reference);
      await setCodeSigningConfigOfFunction(sql, functionId, undefined);
    });
    return {};
  });
}

/** The configuration that an ARN names, for operations on the configuration itself. */
async function findConfigOrRefuse(
  sql: Sql,
  accountRegion: AccountRegion,
  arn: string,
): Promise<CodeSigningConfig> {
  const configId = configIdIn(accountRegion, arn);
  const config = configId === undefined ? undefined : await findCodeSigningConfig(sql, configId);
  if (!config) throw noSuchConfig(arn);
  return config;
}
