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
import {
  readAccountUsage,
  listProvisioned,
  findProvisioned,
  provisionedBesides,
  putProvisioned,
  deleteProvisioned,
  type Provisioned,
  type ProvisionedUsage,
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
          checkConcurrency(requested, {
            reserved: facts?.reservedConcurrency,
            reservedByAll: reserved,
            provisioned: await provisionedBesides(sql, target.functionId, qualifier),
            environmentsMax: settings.environmentsMax,
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
  /** Of the function itself. */
  readonly reserved: number | undefined;
  readonly reservedByAll: number;
  /** Besides what is wanted. */
  readonly provisioned: ProvisionedUsage;
  /** Execution environments that this host may have. */
  readonly environmentsMax: number;
}

/** Refuses more environments than the account, the function or this host may have, with all that is provisioned already. */
function checkConcurrency(wanted: number, limits: ConcurrencyLimits): void {
  const { reserved, reservedByAll, provisioned, environmentsMax } = limits;
  const unreserved = concurrencyOfAccountMax - reservedByAll - provisioned.unreserved;
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
  if (reserved !== undefined && provisioned.ofFunction + wanted > reserved) {
    throw invalidParameter(
      'Requested Provisioned Concurrency should not be greater than the reservedConcurrentExecution for function',
    );
  }
  if (provisioned.ofAll + wanted > environmentsMax) {
    const others =
      provisioned.ofAll === 0
        ? ''
        : ` minus those that are provisioned already [${provisioned.ofAll}]`;
    throw invalidParameter(
      `Specified ConcurrentExecutions for function is greater than the maximum number of execution environments of this server [${environmentsMax}]${others}.`,
    );
  }
}
