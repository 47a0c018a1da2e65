import { createDeployedBranches } from '#forge/function-code/deployed-branches.ts';
import { createRepositoryCode } from '#forge/function-code/repository-code.ts';
import { createDeliverer } from '#forge/webhooks/delivery-worker.ts';
import { startTestForge, type TestForge } from '#forge/testing/test-forge.ts';
import type { ConfiguredResources } from '#functions/configured-resources/configured-resources.ts';
import { openPushDeployer } from '#functions/open-push-deployer.ts';
import type { PushDeployer } from '#functions/push-deployments/push-deployer.ts';
import { recordPush } from '#functions/push-deployments/push-deployment-store.ts';
import { createTestFunctions, type TestFunctions } from '#functions/testing/test-functions.ts';
import { createWebhookTargets } from '#functions/webhook-targets/webhook-targets.ts';

/** Both services on one database without a listener, connected as `hob serve` connects them: webhooks reach functions. */
export interface ConnectedServices {
  readonly forge: TestForge;
  readonly functions: TestFunctions;
  /** Deploys what pushes have made due. */
  readonly pushes: PushDeployer;
  /** Sends what is due, and runs what that enqueues. */
  deliver(): Promise<void>;
  close(): Promise<void>;
}

/** The base URL of both; nothing listens there. */
export const testBaseUrl = 'http://127.0.0.1:4711';

export async function connectServices(
  configured: Partial<ConfiguredResources> = {},
): Promise<ConnectedServices> {
  let targets: ReturnType<typeof createWebhookTargets> | undefined;
  const connected = (): ReturnType<typeof createWebhookTargets> => {
    if (!targets) throw new Error('The function service has not started.');
    return targets;
  };
  const urls = {
    baseUrl: testBaseUrl,
    loopbackBaseUrls: new Map([['localhost:4711', 'http://localhost:4711']]),
  };
  const forge = await startTestForge(urls, {
    pushListener: {
      pushed: (sql, id, branches) => recordPush(sql, id, branches, forge.clock.now()),
    },
    functionTargets: {
      check: (...given) => connected().check(...given),
      post: (...given) => connected().post(...given),
      enqueue: (...given) => connected().enqueue(...given),
    },
  });
  const { database } = forge;
  const functions = await createTestFunctions({
    database,
    configured,
    settings: urls,
    repositories: createRepositoryCode(forge.ports),
    branches: createDeployedBranches(forge.ports),
  });
  const onError = (error: unknown): never => {
    throw error;
  };
  targets = createWebhookTargets(functions.ports, onError);
  const deliverer = createDeliverer(forge.ports, onError);
  const pushes = openPushDeployer(
    { ...functions.ports, clock: forge.clock, serverId: 'test-server' },
    onError,
  );
  if (!pushes) throw new Error('The services are not connected.');
  return {
    forge,
    functions,
    pushes,
    async deliver() {
      await deliverer.deliverDue();
      await functions.ports.events.poll();
    },
    async close() {
      await deliverer.close();
      await pushes.close();
      await functions.close();
      await forge.close();
    },
  };
}
