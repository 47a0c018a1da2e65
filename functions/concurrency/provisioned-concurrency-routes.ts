import { present } from '#platform/present.ts';

import { concurrencyOfAccountMax, concurrencyUnreservedMin } from '#functions-contract/limits.ts';
import {
  listProvisionedConcurrencyConfigs,
  getProvisionedConcurrencyConfig,
  putProvisionedConcurrencyConfig,
  deleteProvisionedConcurrencyConfig,
} from '#functions-contract/operations/concurrency.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { latest, readVersionName } from '../configuration/function-record.ts';
import { findFunction } from '../configuration/function-store.ts';
import { FunctionsError, invalidParameter } from '../errors/functions-error.ts';
import {
  bindOperation,
  type OperationHandler,
  type CreateHandler,
  type FunctionPorts,
} from '../http/call.ts';
import { lambdaTimestamp } from '../json/lambda-timestamp.ts';
import { pageOf, readMarker } from '../json/paging.ts';
import { functionArn, readFunctionName, type FunctionReference } from '../model/function-name.ts';
import { checkUnqualified, functionNotFound, findQualified } from '../versions/find-function.ts';
import { findMissingCapacity, type ProvisionedCapacity } from './provisioned-capacity.ts';
import {
  readAccountUsage,
  listProvisioned,
  findProvisioned,
  listProvisionedShares,
  putProvisioned,
  deleteProvisioned,
  type Provisioned,
  type ProvisionedShare,
} from './concurrency-store.ts';
import { ensureProvisionedLater } from './ensure-provisioned.ts';

/** Provisioned concurrency. */
export const provisionedConcurrencyRoutes: readonly CreateHandler[] = [
  serveListProvisionedConcurrencyConfigs,
  serveGetProvisionedConcurrencyConfig,
  servePutProvisionedConcurrencyConfig,
  serveDeleteProvisionedConcurrencyConfig,
];

type ListProvisionedConcurrencyConfigsOutput = StructureOf<
  (typeof listProvisionedConcurrencyConfigs)['output']
>;

function serveListProvisionedConcurrencyConfigs(ports: FunctionPorts): OperationHandler {
  const { database, settings } = ports;
  return bindOperation(
    listProvisionedConcurrencyConfigs,
    async (input): Promise<ListProvisionedConcurrencyConfigsOutput> => {
      const name = checkUnqualified(readFunctionName(input.FunctionName, settings));
      const [after = ''] = readMarker(input.Marker);
      const page = await pageOf(
        input.MaxItems,
        (limit) =>
          database.read(async (sql) => {
            const found = await findFunction(sql, name);
            if (!found) throw functionNotFound(settings, name);
            return listProvisioned(sql, found.id, after, limit);
          }),
        (last) => [last.qualifier],
      );
      const ProvisionedConcurrencyConfigs = page.items.map((item) => ({
        FunctionArn: functionArn(settings, name, item.qualifier),
        ...representProvisioned(item),
      }));
      return page.marker === undefined
        ? { ProvisionedConcurrencyConfigs }
        : { ProvisionedConcurrencyConfigs, NextMarker: page.marker };
    },
  );
}

function serveGetProvisionedConcurrencyConfig(ports: FunctionPorts): OperationHandler {
  const { database, settings } = ports;
  return bindOperation(
    getProvisionedConcurrencyConfig,
    async (input): Promise<ProvisionedConfig> => {
      const reference = readFunctionName(input.FunctionName, settings, input.Qualifier);
      const qualifier = requirePublished(reference, mustBePublished);
      const found = await database.read(async (sql) => {
        const { functionId } = await findQualified(sql, settings, reference);
        return findProvisioned(sql, functionId, qualifier);
      });
      if (found) return representProvisioned(found);
      throw new FunctionsError(
        'ProvisionedConcurrencyConfigNotFoundException',
        'No Provisioned Concurrency Config found for this function',
      );
    },
  );
}

const notUnpublished =
  'Provisioned Concurrency Configs cannot be applied to unpublished function versions.';

function servePutProvisionedConcurrencyConfig(ports: FunctionPorts): OperationHandler {
  const { database, settings, clock } = ports;
  return bindOperation(
    putProvisionedConcurrencyConfig,
    async (input): Promise<ProvisionedConfig> => {
      const { ProvisionedConcurrentExecutions: requested } = input;
      const reference = readFunctionName(input.FunctionName, settings, input.Qualifier);
      const qualifier = requirePublished(reference, notUnpublished);
      const lastModified = clock.now();
      await database.write(async (sql) => {
        const target = await findQualified(sql, settings, reference);
        if (target.kind === 'alias' && target.alias.number === 0) {
          throw invalidParameter(notUnpublished);
        }
        const facts = await findFunction(sql, reference.name);
        const { reserved } = await readAccountUsage(sql);
        const replaced = await findProvisioned(sql, target.functionId, qualifier);
        // Less than before is accepted although there may be too much: what was accepted stays.
        if (requested > (replaced?.requested ?? 0)) {
          const shares = await listProvisionedShares(sql);
          checkConcurrency(requested, {
            reserved: facts?.reservedConcurrency,
            reservedByAll: reserved,
            functionId: target.functionId,
            others: shares.filter(({ id }) => id !== replaced?.id),
            capacity: ports,
          });
        }
        await putProvisioned(sql, target.functionId, qualifier, requested, lastModified);
      });
      ensureProvisionedLater(ports, reference.name, qualifier);
      return representProvisioned({
        qualifier,
        requested,
        available: 0,
        status: 'IN_PROGRESS',
        statusReason: undefined,
        lastModified,
      });
    },
  );
}

/** The environments stay until they have been idle for some time, like any others. */
function serveDeleteProvisionedConcurrencyConfig(ports: FunctionPorts): OperationHandler {
  const { database, settings } = ports;
  return bindOperation(deleteProvisionedConcurrencyConfig, async ({ FunctionName, Qualifier }) => {
    const reference = readFunctionName(FunctionName, settings, Qualifier);
    const qualifier = requirePublished(reference, mustBePublished);
    await database.write(async (sql) => {
      const { functionId } = await findQualified(sql, settings, reference);
      await deleteProvisioned(sql, functionId, qualifier);
    });
    ensureProvisionedLater(ports, reference.name, qualifier);
    return {};
  });
}

type ProvisionedConfig = StructureOf<(typeof putProvisionedConcurrencyConfig)['output']>;

function representProvisioned(provisioned: Omit<Provisioned, 'id'>): ProvisionedConfig {
  const { requested, available, status, statusReason, lastModified } = provisioned;
  return {
    RequestedProvisionedConcurrentExecutions: requested,
    AvailableProvisionedConcurrentExecutions: available,
    AllocatedProvisionedConcurrentExecutions: available,
    Status: status,
    ...present({ StatusReason: statusReason }),
    LastModified: lambdaTimestamp(lastModified),
  };
}

/** The version or alias of a reference that has one. */
function requirePublished({ qualifier = latest }: FunctionReference, unpublished: string): string {
  if (readVersionName(qualifier) === 0) throw invalidParameter(unpublished);
  return qualifier;
}

const mustBePublished = 'The function resource provided must be an alias or a published version.';

interface ConcurrencyLimits {
  readonly functionId: number;
  /** Of the function itself. */
  readonly reserved: number | undefined;
  readonly reservedByAll: number;
  /** Provisioned besides what is wanted. */
  readonly others: readonly ProvisionedShare[];
  readonly capacity: ProvisionedCapacity;
}

/** Refuses more environments than the account, the function or this host may have, with all that is provisioned already. */
function checkConcurrency(wanted: number, limits: ConcurrencyLimits): void {
  const { functionId, reserved, reservedByAll, others, capacity } = limits;
  const unreserved =
    concurrencyOfAccountMax - reservedByAll - sumOf(others.filter(({ isReserved }) => !isReserved));
  if (reserved === undefined && wanted > unreserved) {
    throw invalidParameter(
      `Specified ConcurrentExecutions for function is greater than account's unreserved concurrency [${unreserved}].`,
      { withoutFault: true },
    );
  }
  if (reserved === undefined && unreserved - wanted < concurrencyUnreservedMin) {
    throw invalidParameter(
      `Specified ConcurrentExecutions for function decreases account's UnreservedConcurrentExecution below its minimum value of [${concurrencyUnreservedMin}].`,
      { withoutFault: true },
    );
  }
  const ofFunction = sumOf(others.filter((share) => share.functionId === functionId));
  if (reserved !== undefined && ofFunction + wanted > reserved) {
    throw invalidParameter(
      'Requested Provisioned Concurrency should not be greater than the reservedConcurrentExecution for function',
    );
  }
  // The maximum of a capacity provider may grow before the environments are started.
  const share = { requested: wanted, capacityProvider: undefined };
  if (findMissingCapacity(capacity, [...others, share]).has(share)) {
    const taken = sumOf(others);
    const already = taken === 0 ? '' : ` minus those that are provisioned already [${taken}]`;
    throw invalidParameter(
      `Specified ConcurrentExecutions for function is greater than the maximum number of execution environments of this server [${capacity.settings.environmentsMax}]${already}.`,
    );
  }
}

function sumOf(shares: readonly ProvisionedShare[]): number {
  return shares.reduce((sum, { requested }) => sum + requested, 0);
}
