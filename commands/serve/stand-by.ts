import type { RequestListener } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

import {
  type DataDirectory,
  DataDirectoryInUseError,
  lockDataDirectory,
  type LockedDataDirectory,
} from '#platform/data-directory.ts';
import type { Settings } from '#settings/setting-values.ts';
import { publicUrls } from './public-urls.ts';
import { type Listener, answerUnavailable, refuseWhileStarting } from './listener.ts';

/** Time between two checks by a server that stands by whether the other one has ended. */
const pollMilliseconds = 200;

/**
 * Waits until no other server uses the data directory. The operating system ends the lock of a server with its process, however that
 * ends, so two servers never use it at once. Health checks are answered meanwhile, everything else is refused.
 */
export async function lockWhenFree(
  directory: DataDirectory,
  listener: Listener,
  onWait: (owner: string) => void,
): Promise<LockedDataDirectory> {
  for (let waits = false; ; waits = true) {
    try {
      const locked = await lockDataDirectory(directory);
      listener.handleWith(refuseWhileStarting);
      return locked;
    } catch (error) {
      if (!(error instanceof DataDirectoryInUseError)) throw error;
      if (!waits) {
        listener.handleWith(answerStandingBy);
        onWait(error.owner);
      }
    }
    await delay(pollMilliseconds);
  }
}

/** What a server prints that stands by. `port` is where it listens, whatever the base URL is. */
export function standingBy(
  settings: Settings,
  port: number,
  folder: string,
  owner: string,
): string {
  const { baseUrl } = publicUrls({ ...settings, baseUrl: undefined }, port);
  return `Standing by at ${baseUrl} until process ${owner}, which uses ${folder}, ends`;
}

/** As the routes of operators' tools answer (operations.ts): the process is up, and not ready. */
const answerStandingBy: RequestListener = (request, response) => {
  if (request.url === '/healthz') {
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
    response.end(JSON.stringify({ status: 'up' }));
    return;
  }
  answerUnavailable(response, 'This server stands by for another one, which serves requests.');
};
