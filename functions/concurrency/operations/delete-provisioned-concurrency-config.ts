import { deleteProvisionedConcurrencyConfig } from '#functions-contract/operations/concurrency.ts';

import { serve, type ServedOperation } from '../../http/call.ts';
import { readFunctionName } from '../../model/function-name.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { findQualified } from '../../versions/find-qualified.ts';
import { mustBePublished, readyQualifier } from '../check-provisioned.ts';
import { keepReadyLater } from '../ensure-provisioned.ts';
import { deleteProvisioned } from '../provisioned-store.ts';

/** Environments that were ready stay until nobody has invoked them for a while, as any others. */
export function serveDeleteProvisionedConcurrencyConfig(ports: FunctionPorts): ServedOperation {
  const { database, settings } = ports;
  return serve(deleteProvisionedConcurrencyConfig, async ({ FunctionName, Qualifier }) => {
    const reference = readFunctionName(FunctionName, settings, Qualifier);
    const qualifier = readyQualifier(reference, mustBePublished);
    await database.write(async (sql) => {
      const { functionId } = await findQualified(sql, settings, reference);
      await deleteProvisioned(sql, functionId, qualifier);
    });
    keepReadyLater(ports, reference.name, qualifier);
    return {};
  });
}
