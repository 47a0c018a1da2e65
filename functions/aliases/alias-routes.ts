import {
  listAliases as listAliasesOperation,
  getAlias,
  createAlias,
  updateAlias,
  deleteAlias as deleteAliasOperation,
} from '#functions-contract/operations/aliases.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { keepReadyLater } from '../concurrency/ensure-provisioned.ts';
import { deleteProvisioned } from '../concurrency/provisioned-store.ts';
import { checkRevision } from '../configuration/check-changeable.ts';
import { readVersionName, versionName } from '../configuration/function-record.ts';
import { findFunction } from '../configuration/function-store.ts';
import { FunctionsError } from '../errors/functions-error.ts';
import { forgetHandling } from '../events/event-invoke-config-store.ts';
import { serve, type ServedOperation, type OperationRoute } from '../http/call.ts';
import type { FunctionPorts } from '../http/function-ports.ts';
import { pageOf, readMarker } from '../json/paging.ts';
import type { Alias } from '../model/alias.ts';
import { readFunctionName, functionArn, type Site } from '../model/function-name.ts';
import { deleteStatements } from '../permissions/policy-store.ts';
import { deleteUrl } from '../urls/url-store.ts';
import {
  listAliases,
  findAlias,
  insertAlias,
  replaceAlias,
  deleteAlias,
} from '../versions/alias-store.ts';
import { checkUnqualified, functionNotFound, aliasNotFound } from '../versions/find-function.ts';
import { checkRouting, readRouting } from './check-routing.ts';

/** Aliases. */
export const aliasRoutes: readonly OperationRoute[] = [
  serveListAliases,
  serveGetAlias,
  serveCreateAlias,
  serveUpdateAlias,
  serveDeleteAlias,
];

type ListAliasesOutput = StructureOf<(typeof listAliasesOperation)['output']>;

function serveListAliases({ database, settings }: FunctionPorts): ServedOperation {
  return serve(listAliasesOperation, async (input): Promise<ListAliasesOutput> => {
    const name = checkUnqualified(readFunctionName(input.FunctionName, settings));
    const number =
      input.FunctionVersion === undefined ? undefined : readVersionName(input.FunctionVersion);
    const [after = ''] = readMarker(input.Marker);
    const page = await pageOf(
      input.MaxItems,
      (limit) =>
        database.read(async (sql) => {
          const found = await findFunction(sql, name);
          if (!found) throw functionNotFound(settings, name);
          return listAliases(sql, found.id, number, after, limit);
        }),
      (last) => [last.name],
    );
    const Aliases = page.items.map((alias) => representAlias(alias, settings, name));
    return page.marker === undefined ? { Aliases } : { Aliases, NextMarker: page.marker };
  });
}

function serveGetAlias({ database, settings }: FunctionPorts): ServedOperation {
  return serve(getAlias, async ({ FunctionName, Name }): Promise<AliasConfiguration> => {
    const name = checkUnqualified(readFunctionName(FunctionName, settings));
    const alias = await database.read(async (sql) => {
      const found = await findFunction(sql, name);
      return found && findAlias(sql, found.id, Name);
    });
    if (!alias) throw aliasNotFound(settings, name, Name);
    return representAlias(alias, settings, name);
  });
}

function serveCreateAlias({ database, settings, random }: FunctionPorts): ServedOperation {
  return serve(createAlias, async (input): Promise<AliasConfiguration> => {
    const name = checkUnqualified(readFunctionName(input.FunctionName, settings));
    const alias = {
      name: input.Name,
      number: readVersionName(input.FunctionVersion),
      description: input.Description ?? '',
      other: readRouting(input.RoutingConfig),
      revisionId: random.id(),
    };
    await database.write(async (sql) => {
      await checkRouting(sql, settings, name, alias.number, alias.other);
      const found = await findFunction(sql, name);
      if (!found) throw functionNotFound(settings, name, input.FunctionVersion);
      if (await insertAlias(sql, found.id, alias)) return;
      throw new FunctionsError(
        'ResourceConflictException',
        `Alias already exists: ${functionArn(settings, name, alias.name)}`,
      );
    });
    return representAlias(alias, settings, name);
  });
}

/** Absent members do not change; an empty routing config ends the weighted routing. */
function serveUpdateAlias(ports: FunctionPorts): ServedOperation {
  const { database, settings, random } = ports;
  return serve(updateAlias, async (input): Promise<AliasConfiguration> => {
    const name = checkUnqualified(readFunctionName(input.FunctionName, settings));
    const revisionId = random.id();
    const given = readRouting(input.RoutingConfig);
    const { before, alias } = await database.write(async (sql) => {
      const found = await findFunction(sql, name);
      const current = found && (await findAlias(sql, found.id, input.Name));
      if (!current) {
        throw new FunctionsError(
          'ResourceNotFoundException',
          `Alias not found: ${functionArn(settings, name, input.Name)}`,
        );
      }
      checkRevision(current, input.RevisionId);
      const next = {
        ...current,
        number:
          input.FunctionVersion === undefined
            ? current.number
            : readVersionName(input.FunctionVersion),
        description: input.Description ?? current.description,
        other: input.RoutingConfig === undefined ? current.other : given,
        revisionId,
      };
      await checkRouting(sql, settings, name, next.number, next.other);
      await replaceAlias(sql, next);
      return { before: current, alias: next };
    });
    if (before.number !== alias.number) {
      // Provisioned concurrency of the alias moves to the new version.
      keepReadyLater(ports, name, versionName(before.number));
      keepReadyLater(ports, name, alias.name);
    }
    return representAlias(alias, settings, name);
  });
}

/** Deleting a missing alias succeeds. */
function serveDeleteAlias({ database, settings }: FunctionPorts): ServedOperation {
  return serve(deleteAliasOperation, async ({ FunctionName, Name }) => {
    const name = checkUnqualified(readFunctionName(FunctionName, settings));
    await database.write(async (sql) => {
      const found = await findFunction(sql, name);
      if (!found) throw functionNotFound(settings, name);
      await deleteAlias(sql, found.id, Name);
      await deleteStatements(sql, found.id, Name);
      await deleteProvisioned(sql, found.id, Name);
      await deleteUrl(sql, found.id, Name);
      await forgetHandling(sql, found.id, Name);
    });
    return {};
  });
}

type AliasConfiguration = StructureOf<(typeof createAlias)['output']>;

function representAlias(
  { name, number, description, other, revisionId }: Alias | Omit<Alias, 'id'>,
  site: Site,
  functionName: string,
): AliasConfiguration {
  return {
    AliasArn: functionArn(site, functionName, name),
    Name: name,
    FunctionVersion: versionName(number),
    Description: description,
    ...(other && {
      RoutingConfig: { AdditionalVersionWeights: { [String(other.number)]: other.weight } },
    }),
    RevisionId: revisionId,
  };
}
