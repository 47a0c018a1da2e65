import { setTimeout as delay } from 'node:timers/promises';

import type { Client } from './client.ts';
import type { ProbeKind } from './journal.ts';

const pauseMilliseconds = 50;
/** A response that takes longer is as bad as none. */
const timeoutMilliseconds = 30_000;

/** Asks again and again, one request of each kind at a time, until it is stopped. */
export async function probe(
  client: Client,
  repository: string,
  signal: AbortSignal,
): Promise<void> {
  const send: Record<ProbeKind, () => Promise<number>> = {
    api: () => status(client, 'GET', '/user'),
    git: () => status(client, 'POST', `/repos/${repository}/git/blobs`, { content: 'probe' }),
  };
  const repeat = async (kind: ProbeKind): Promise<void> => {
    while (!signal.aborted) {
      const from = Date.now();
      const answered = await send[kind]().catch(() => 0);
      client.journal.probes.push({ kind, from, until: Date.now(), status: answered });
      await delay(pauseMilliseconds);
    }
  };
  await Promise.all([repeat('api'), repeat('git')]);
}

async function status(
  { url, token }: Client,
  method: string,
  path: string,
  body?: object,
): Promise<number> {
  const response = await fetch(`${url}/api/v3${path}`, {
    method,
    headers: { authorization: `token ${token}`, 'user-agent': 'cluster-probe' },
    body: body ? JSON.stringify(body) : null,
    signal: AbortSignal.timeout(timeoutMilliseconds),
  });
  await response.arrayBuffer();
  return response.status;
}
