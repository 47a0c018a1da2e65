import { isRecord } from '#deployment/deploy-service.ts';

import type { FunctionPorts } from './http/call.ts';
import { performOperation } from './http/perform-operation.ts';
import { parseInput } from './http/read-input.ts';
import { createPushDeployer, type PushDeployer } from './push-deployments/push-deployer.ts';
import { operationHandlers } from './routes.ts';

/** The deployments of pushes; undefined where this service runs without the forge. */
export function openPushDeployer(
  ports: FunctionPorts & { readonly serverId: string },
  onError: (error: unknown) => void,
): PushDeployer | undefined {
  const { branches, repositories, random, settings } = ports;
  if (!branches || !repositories) return undefined;
  // The code is that of the repository, whatever buckets the operator has.
  const own: FunctionPorts = { ...ports, objects: undefined };
  const served = new Map(operationHandlers(own).map((each) => [each.operation, each]));
  return createPushDeployer({
    ...ports,
    branches,
    repositories,
    accountId: settings.accountId,
    onError,
    async perform(operation, input, by) {
      const found = served.get(operation);
      if (!found) throw new Error(`${operation.name} is not served.`);
      const facts = { ...by, requestId: random.id(), traceHeader: undefined };
      const output = await performOperation(own, found, facts, () => parseInput(operation, input));
      return isRecord(output) ? output : {};
    },
  });
}
