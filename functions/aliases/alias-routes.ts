import {
  listAliases as listAliasesOperation,
  getAlias,
  createAlias,
  updateAlias,
  deleteAlias as deleteAliasOperation,
} from '#functions-contract/operations/aliases.ts';
import type { StructureOf } from '#functions-contract/shape.ts';
import type { Sql } from '#platform/database/database.ts';

import { deleteProvisioned } from '../concurrency/concurrency-store.ts';
import { ensureProvisionedLater } from '../concurrency/ensure-provisioned.ts';
import { checkRevision, readVersionName, versionName } from '../configuration/function-record.ts';
import { findFunction, findVersion } from '../configuration/function-store.ts';
import { FunctionsError, invalidParameter } from '../errors/functions-error.ts';
import { forgetHandling } from '../events/event-invoke-config-store.ts';
import {
  bindOperation,
  type OperationHandler,
  type CreateHandler,
  type FunctionPorts,
} from '../http/call.ts';
import { pageOf, readMarker } from '../json/paging.ts';
import { readFunctionName, functionArn, type AccountRegion } from '../model/function-name.ts';
import { deleteStatements } from '../permissions/policy-store.ts';
import { deleteUrl } from '../urls/url-store.ts';
import {
  type Alias,
  listAliases,
  findAlias,
  insertAlias,
  replaceAlias,
  deleteAlias,
  type WeightedVersion,
} from '../versions/alias-store.ts';
import { checkUnqualified, functionNotFound, aliasNotFound } from '../versions/find-function.ts';

/** Aliases. */
export const aliasRoutes: readonly CreateHandler[] = [
  serveListAliases,
  serveGetAlias,
  serveCreateAlias,
  serveUpdateAlias,
  serveDeleteAlias,
];

type ListAliasesOutput = StructureOf<(typeof listAliasesOperation)['output']>;

function serveListAliases({ database, settings }: FunctionPorts): OperationHandler {
  return bindOperation(listAliasesOperation, async (input): Promise<ListAliasesOutput> => {
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

function serveGetAlias({ database, settings }: FunctionPorts): OperationHandler {
  return bindOperation(getAlias, async ({ FunctionName, Name }): Promise<AliasConfiguration> => {
    const name = checkUnqualified(readFunctionName(FunctionName, settings));
    const alias = await database.read(async (sql) => {
      const found = await findFunction(sql, name);
      return found && findAlias(sql, found.id, Name);
    });
    if (!alias) throw aliasNotFound(settings, name, Name);
    return representAlias(alias, settings, name);
  });
}

function serveCreateAlias({ database, settings, random }: FunctionPorts): OperationHandler {
  return bindOperation(createAlias, async (input): Promise<AliasConfiguration> => {
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
function serveUpdateAlias(ports: FunctionPorts): OperationHandler {
  const { database, settings, random } = ports;
  return bindOperation(updateAlias, async (input): Promise<AliasConfiguration> => {
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
      ensureProvisionedLater(ports, name, versionName(before.number));
      ensureProvisionedLater(ports, name, alias.name);
    }
    return representAlias(alias, settings, name);
  });
}

/** Deleting a missing alias succeeds. */
function serveDeleteAlias(ports: FunctionPorts): OperationHandler {
  const { database, settings } = ports;
  return bindOperation(deleteAliasOperation, async ({ FunctionName, Name }) => {
    const name = checkUnqualified(readFunctionName(FunctionName, settings));
    const deleted = await database.write(async (sql) => {
      const found = await findFunction(sql, name);
      if (!found) throw functionNotFound(settings, name);
      const alias = await findAlias(sql, found.id, Name);
      await deleteAlias(sql, found.id, Name);
      await deleteStatements(sql, found.id, Name);
      await deleteProvisioned(sql, found.id, Name);
      await deleteUrl(sql, found.id, Name);
      await forgetHandling(sql, found.id, Name);
      return alias;
    });
    // What was provisioned for the alias is no longer provisioned for its version.
    if (deleted) ensureProvisionedLater(ports, name, versionName(deleted.number));
    return {};
  });
}

type AliasConfiguration = StructureOf<(typeof createAlias)['output']>;

function representAlias(
  { name, number, description, other, revisionId }: Alias | Omit<Alias, 'id'>,
  accountRegion: AccountRegion,
  functionName: string,
): AliasConfiguration {
  return {
    AliasArn: functionArn(accountRegion, functionName, name),
    Name: name,
    FunctionVersion: versionName(number),
    Description: description,
    ...(other && {
      RoutingConfig: { AdditionalVersionWeights: { [String(other.number)]: other.weight } },
    }),
    RevisionId: revisionId,
  };
}

interface RoutingConfig {
  readonly AdditionalVersionWeights?: Readonly<Record<string, number>>;
}

/** The second version of a routing; none where it is empty. */
function readRouting(routing: RoutingConfig | undefined): WeightedVersion | undefined {
  const weights = Object.entries(routing?.AdditionalVersionWeights ?? {});
  if (weights.length > 1) {
    throw invalidParameter('Number of items in AdditionalVersionWeights cannot be greater than 1');
  }
  const [first] = weights;
  return first && { number: readVersionName(first[0]), weight: first[1] };
}

/** Refuses versions to which an alias cannot point; checks last whether they exist. */
async function checkRouting(
  sql: Sql,
  accountRegion: AccountRegion,
  functionName: string,
  number: number,
  other: WeightedVersion | undefined,
): Promise<void> {
  if (other && number === 0) {
    throw invalidParameter(
      '$LATEST is not supported for an alias pointing to more than 1 version',
      { withoutFault: true },
    );
  }
  if (other?.number === number) {
    throw invalidParameter(
      `Invalid function version ${number}. Function version ${number} is already included in routing configuration.`,
    );
  }
  for (const wanted of other ? [number, other.number] : [number]) {
    if (await findVersion(sql, functionName, wanted)) continue;
    // No version has the number 0, nor one past all numbers.
    throw functionNotFound(accountRegion, functionName, wanted < 0 ? '0' : versionName(wanted));
  }
}
