import { putProvisionedConcurrencyConfig } from '#functions-contract/operations/concurrency.ts';

import { findFunction } from '../../configuration/function-store.ts';
import { serve, type ServedOperation } from '../../http/call.ts';
import { invalidParameter } from '../../errors/functions-error.ts';
import { readFunctionName } from '../../model/function-name.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { findQualified } from '../../versions/find-qualified.ts';
import { checkRoom, readyQualifier } from '../check-provisioned.ts';
import { readAccountUsage } from '../concurrency-store.ts';
import { keepReadyLater } from '../ensure-provisioned.ts';
import { representProvisioned, type ProvisionedConfig } from '../provisioned-json.ts';
import { putProvisioned } from '../provisioned-store.ts';

const notUnpublished =
  'Provisioned Concurrency Configs cannot be applied to unpublished function versions.';

export function servePutProvisionedConcurrencyConfig(ports: FunctionPorts): ServedOperation {
  const { database, settings, clock } = ports;
  return serve(putProvisionedConcurrencyConfig, async (input): Promise<ProvisionedConfig> => {
    const { ProvisionedConcurrentExecutions: requested } = input;
    const reference = readFunctionName(input.FunctionName, settings, input.Qualifier);
    const qualifier = readyQualifier(reference, notUnpublished);
    const lastModified = clock.now();
    await database.write(async (sql) => {
      const target = await findQualified(sql, settings, reference);
      if (target.kind === 'alias' && target.alias.number === 0) {
        throw invalidParameter(notUnpublished);
      }
      const facts = await findFunction(sql, reference.name);
      const { reserved } = await readAccountUsage(sql);
      checkRoom(requested, {
        reserved: facts?.reservedConcurrency,
        reservedByAll: reserved,
        environmentsMax: settings.environmentsMax,
      });
      await putProvisioned(sql, target.functionId, qualifier, requested, lastModified);
    });
    keepReadyLater(ports, reference.name, qualifier);
    return representProvisioned({
      qualifier,
      requested,
      available: 0,
      status: 'IN_PROGRESS',
      statusReason: undefined,
      lastModified,
    });
  });
}
