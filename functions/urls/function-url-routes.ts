import {
  listFunctionUrlConfigs,
  getFunctionUrlConfig,
  createFunctionUrlConfig,
  updateFunctionUrlConfig,
  deleteFunctionUrlConfig,
} from '#functions-contract/operations/function-urls.ts';
import type { StructureOf } from '#functions-contract/shape.ts';
import type { Sql } from '#platform/database/database.ts';

import { findFunction } from '../configuration/function-store.ts';
import { FunctionsError, noSuchResource, invalidParameter } from '../errors/functions-error.ts';
import {
  bindOperation,
  type OperationHandler,
  type CreateHandler,
  type FunctionPorts,
} from '../http/call.ts';
import { pageOf, readMarker } from '../json/paging.ts';
import {
  readFunctionName,
  functionArn,
  namesAlias,
  type FunctionReference,
  type AccountRegion,
} from '../model/function-name.ts';
import { findAlias } from '../versions/alias-store.ts';
import { checkUnqualified, aliasNotFound } from '../versions/find-function.ts';
import { makeUrlId } from './url-address.ts';
import {
  representUrl,
  type UrlConfig,
  representCreatedUrl,
  type CreatedUrl,
  representChangedUrl,
} from './function-url.ts';
import { listUrls, findUrl, insertUrl, replaceUrl, deleteUrl } from './url-store.ts';

/** Function URLs. */
export const functionUrlRoutes: readonly CreateHandler[] = [
  serveListFunctionUrlConfigs,
  serveGetFunctionUrlConfig,
  serveCreateFunctionUrlConfig,
  serveUpdateFunctionUrlConfig,
  serveDeleteFunctionUrlConfig,
];

type ListFunctionUrlConfigsOutput = StructureOf<(typeof listFunctionUrlConfigs)['output']>;

function serveListFunctionUrlConfigs(ports: FunctionPorts): OperationHandler {
  const { database, settings } = ports;
  return bindOperation(
    listFunctionUrlConfigs,
    async (input): Promise<ListFunctionUrlConfigsOutput> => {
      const name = checkUnqualified(readFunctionName(input.FunctionName, settings));
      const [after] = readMarker(input.Marker);
      const page = await pageOf(
        input.MaxItems,
        (limit) =>
          database.read(async (sql) => {
            const found = await findFunction(sql, name);
            if (!found) throw functionMissing();
            return listUrls(sql, found.id, after, limit);
          }),
        (last) => [last.alias ?? ''],
      );
      const FunctionUrlConfigs = page.items.map((url) => representUrl(url, settings));
      return page.marker === undefined
        ? { FunctionUrlConfigs }
        : { FunctionUrlConfigs, NextMarker: page.marker };
    },
  );
}

function serveGetFunctionUrlConfig({ database, settings }: FunctionPorts): OperationHandler {
  return bindOperation(
    getFunctionUrlConfig,
    async ({ FunctionName, Qualifier }): Promise<UrlConfig> => {
      const { name, qualifier } = readFunctionName(FunctionName, settings, Qualifier);
      const url = await database.read((sql) => findUrl(sql, name, qualifier));
      if (!url) throw noSuchResource();
      return representUrl(url, settings);
    },
  );
}

function serveCreateFunctionUrlConfig(ports: FunctionPorts): OperationHandler {
  const { database, settings, clock, random } = ports;
  return bindOperation(createFunctionUrlConfig, async (input): Promise<CreatedUrl> => {
    const { name, qualifier } = readFunctionName(input.FunctionName, settings, input.Qualifier);
    const now = clock.now();
    const config = {
      functionName: name,
      alias: qualifier,
      urlId: makeUrlId(random),
      authType: input.AuthType,
      cors: input.Cors,
      invokeMode: input.InvokeMode,
      createdAt: now,
      modifiedAt: now,
    };
    const url = await database.write(async (sql) => {
      const functionId = await findUrlOwner(sql, settings, { name, qualifier });
      if (await insertUrl(sql, { ...config, functionId })) return { ...config, functionId };
      throw new FunctionsError(
        'ResourceConflictException',
        `Failed to create function url config for [functionArn = ${functionArn(settings, name, qualifier)}]. Error message:  FunctionUrlConfig exists for this Lambda function`,
      );
    });
    return representCreatedUrl(url, settings);
  });
}

/** Absent members do not change; an empty structure removes the CORS configuration. */
function serveUpdateFunctionUrlConfig(ports: FunctionPorts): OperationHandler {
  const { database, settings, clock } = ports;
  return bindOperation(updateFunctionUrlConfig, async (input): Promise<UrlConfig> => {
    const { name, qualifier } = readFunctionName(input.FunctionName, settings, input.Qualifier);
    const modifiedAt = clock.now();
    const url = await database.write(async (sql) => {
      const current = await findUrl(sql, name, qualifier);
      if (!current) throw noSuchResource();
      const cors = input.Cors ?? current.cors;
      const next = {
        ...current,
        authType: input.AuthType ?? current.authType,
        cors: cors && Object.keys(cors).length > 0 ? cors : undefined,
        invokeMode: input.InvokeMode ?? current.invokeMode,
        modifiedAt,
      };
      await replaceUrl(sql, next);
      return next;
    });
    return representChangedUrl(url, settings);
  });
}

function serveDeleteFunctionUrlConfig(ports: FunctionPorts): OperationHandler {
  const { database, settings } = ports;
  return bindOperation(deleteFunctionUrlConfig, async ({ FunctionName, Qualifier }) => {
    const { name, qualifier } = readFunctionName(FunctionName, settings, Qualifier);
    await database.write(async (sql) => {
      const url = await findUrl(sql, name, qualifier);
      if (!url) throw noSuchResource();
      await deleteUrl(sql, url.functionId, qualifier);
    });
    return {};
  });
}

/** The id of the function for a new URL; versions have no URLs. */
async function findUrlOwner(
  sql: Sql,
  accountRegion: AccountRegion,
  { name, qualifier }: FunctionReference,
): Promise<number> {
  if (qualifier !== undefined && !namesAlias(qualifier)) {
    throw invalidParameter(
      'Function URLs are for functions and aliases. Please specify either a function name or the name of an alias.',
    );
  }
  const found = await findFunction(sql, name);
  if (!found) throw functionMissing();
  if (qualifier !== undefined && !(await findAlias(sql, found.id, qualifier))) {
    throw aliasNotFound(accountRegion, name, qualifier);
  }
  return found.id;
}

function functionMissing(): FunctionsError {
  return new FunctionsError('ResourceNotFoundException', 'Function does not exist');
}
