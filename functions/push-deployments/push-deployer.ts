import type { Operation } from '#functions-contract/operation.ts';
import type { Output } from '#deployment/deploy-service.ts';
import type { Clock } from '#platform/clock.ts';
import { type Database, readCommitted } from '#platform/database/database.ts';

import type { RepositoryCode } from '../code/objects/repository-objects.ts';
import { releaseClaims, renewClaims } from '../events/event-store.ts';
import { createPollingWorker, type DueItem, type PollingWorker } from '#platform/polling-worker.ts';
import type { DeployedBranches } from '../ports/deployed-branches.ts';
import type { SignedPrincipal } from '../signing/principal.ts';
import {
  claimPushDeployment,
  duePushDeployments,
  pushDeploymentsChannel,
  releasePushDeployment,
} from './push-deployment-store.ts';

export interface PushDeployerPorts {
  readonly database: Database;
  readonly clock: Clock;
  readonly serverId: string;
  readonly accountId: string;
  readonly branches: DeployedBranches;
  readonly repositories: RepositoryCode;
  /** Runs an operation as a request of the principal would, with code from repositories only. */
  readonly perform: (
    operation: Operation,
    input: Readonly<Record<string, unknown>>,
    by: { readonly principal: SignedPrincipal; readonly sourceAddress: string },
  ) => Promise<Output>;
  readonly onError: (error: unknown) => void;
}

/** Deploys what pushes have made due, each branch one deployment at a time. */
export interface PushDeployer {
  poll(): Promise<void>;
  /** Resumes what this server was deploying when it died, and waits for pushes from now on. */
  start(): Promise<void>;
  /** Looks soon: the clock has been set. */
  wake(): void;
  /** Deployments in progress run again after the next start. */
  close(): Promise<void>;
}

const table = 'function_push_deployments';
/** Deployments on push at the same time. */
const runningMax = 4;
/** Deployments on push of one account at the same time, so that others need not wait for them. */
const runningOfOneMax = 2;

interface Due extends DueItem {
  readonly due_at: number;
}

export function createPushDeployer(ports: PushDeployerPorts): PushDeployer {
  const { database, clock, serverId } = ports;
  const worker: PollingWorker = createPollingWorker<Due>({
    runningMax,
    runningOfOneMax,
    onError: ports.onError,
    find: async (capacity) => {
      // Those of accounts that have their share already may come first.
      const limits = { ofOneMax: runningOfOneMax, limit: capacity + runningMax * runningOfOneMax };
      const due = await database.read((sql) => duePushDeployments(sql, clock.now(), limits));
      return due.map((item) => ({ ...item, group: String(item.account_id) }));
    },
    // Read committed, as all that is written of a claim: a statement compares the claim of the row that it changes.
    renew: (ids) =>
      database.write((sql) => renewClaims(sql, table, serverId, ids, clock.now()), readCommitted),
    release: ({ id }) =>
      database.write((sql) => releasePushDeployment(sql, serverId, id, clock.now()), readCommitted),
    async run(due, stop) {
      const claimed = await database.write(
        (sql) => claimPushDeployment(sql, due, serverId, clock.now()),
        readCommitted,
      );
      if (!claimed) return;
      // Not at the start: it loads the library for YAML.
      const { deployPush } = await import('./deploy-push.ts');
      await deployPush(ports, claimed, stop);
    },
  });
  let unlisten: (() => void) | undefined;
  return {
    poll: () => worker.poll(),
    async start() {
      await database.write(
        (sql) => releaseClaims(sql, table, serverId, clock.now()),
        readCommitted,
      );
      unlisten = database.listen(pushDeploymentsChannel, () => worker.wake());
      worker.start();
    },
    wake: () => worker.wake(),
    async close() {
      unlisten?.();
      await worker.close();
    },
  };
}
