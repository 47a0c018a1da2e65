import { getProvisionedConcurrencyConfig } from '#functions-contract/operations/concurrency.ts';

import { serve, type ServedOperation } from '../../http/call.ts';
import { FunctionsError } from '../../errors/functions-error.ts';
import { readFunctionName } from '../../model/function-name.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { findQualified } from '../../versions/find-qualified.ts';
import { mustBePublished, readyQualifier } from '../check-provisioned.ts';
import { representProvisioned, type ProvisionedConfig } from '../provisioned-json.ts';
import { findProvisioned } from '../provisioned-store.ts';

export function serveGetProvisionedConcurrencyConfig(ports: FunctionPorts): ServedOperation {
  const { database, settings } = ports;
  return serve(getProvisionedConcurrencyConfig, async (input): Promise<ProvisionedConfig> => {
    const reference = readFunctionName(input.FunctionName, settings, input.Qualifier);
    const qualifier = readyQualifier(reference, mustBePublished);
    const found = await database.read(async (sql) => {
      const { functionId } = await findQualified(sql, settings, reference);
      return findProvisioned(sql, functionId, qualifier);
    });
    if (found) return representProvisioned(found);
    throw new FunctionsError(
      'ProvisionedConcurrencyConfigNotFoundException',
      'No Provisioned Concurrency Config found for this function',
    );
  });
}
