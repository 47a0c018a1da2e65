import { inBackground } from '#platform/in-background.ts';
import type { Log } from '#platform/log.ts';

import {
  type ProvisionedPorts,
  resumeReady,
  resumeWaiting,
} from '../concurrency/ensure-provisioned.ts';
import { onlyNode } from '../ports/home-nodes.ts';
import { prepareSnapshotsLater, resumeProvisioning, type ProvisioningPorts } from './provision.ts';

export interface HomeTakeoverPorts extends ProvisioningPorts, ProvisionedPorts {
  readonly log: Log;
  /** Process what is due. */
  readonly workers: readonly { wake(): void }[];
}

/** What a server does for the functions whose home it is, though another has stored what makes it due. */
export interface HomeTakeover {
  start(): void;
  /** Looks for it once. */
  poll(): Promise<void>;
  close(): Promise<void>;
}

/** Time between two looks of the home of a function for what other servers have changed. */
const pollMilliseconds = 500;

/**
 * Provisions what other servers have created or changed. When functions get other homes, closes the environments of those that are no longer
 * here, and starts those of the ones that now are, and what of them is due.
 */
export function createHomeTakeover(ports: HomeTakeoverPorts): HomeTakeover {
  const { homes, environments, log, workers } = ports;
  const onError = (err: unknown): void =>
    log.error({ err }, 'taking over the provisioning of functions failed');
  let timer: NodeJS.Timeout | undefined;
  let unlisten: (() => void) | undefined;
  let polling: Promise<void> | undefined;

  async function poll(): Promise<void> {
    await resumeProvisioning(ports);
    await resumeWaiting(ports);
  }

  function pollUnlessPolling(): void {
    polling ??= poll()
      .catch(onError)
      .finally(() => {
        polling = undefined;
      });
  }

  return {
    poll,
    start() {
      if (homes === onlyNode) return;
      unlisten = homes.onChange(() => {
        environments.retain((name) => homes.isHome(name));
        prepareSnapshotsLater(ports);
        inBackground(resumeReady(ports), onError);
        pollUnlessPolling();
        for (const worker of workers) worker.wake();
      });
      timer = setInterval(pollUnlessPolling, pollMilliseconds);
    },
    async close() {
      unlisten?.();
      clearInterval(timer);
      await polling;
    },
  };
}
