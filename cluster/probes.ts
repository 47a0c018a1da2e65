import { setTimeout as delay } from 'node:timers/promises';

import { InvokeCommand } from '@aws-sdk/client-lambda';

import type { Client } from './client.ts';
import { type ProbeKind, probeKinds } from './journal.ts';

const pauseMilliseconds = 50;
/** A response that takes longer is as bad as none. */
const timeoutMilliseconds = 30_000;

/** Asks again and again, one request of each kind at a time, until it is stopped. */
export async function probe(
  client: Client,
  { repository, functionName }: { readonly repository: string; readonly functionName: string },
  signal: AbortSignal,
): Promise<void> {
  const send: Record<ProbeKind, () => Promise<number>> = {
    api: () => status(client, 'GET', '/user'),
    git: () => status(client, 'POST', `/repos/${repository}/git/blobs`, { content: 'probe' }),
    functions: () => invoke(client, functionName),
  };
  const repeat = async (kind: ProbeKind): Promise<void> => {
    while (!signal.aborted) {
      const from = Date.now();
      const answered = await send[kind]().catch(() => 0);
      client.journal.probes.push({ kind, from, until: Date.now(), status: answered });
      await delay(pauseMilliseconds);
    }
  };
  await Promise.all(probeKinds.map(repeat));
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

/** One that ended with its node is as bad as none. */
async function invoke({ lambda }: Client, name: string): Promise<number> {
  const abortSignal = AbortSignal.timeout(timeoutMilliseconds);
  const { StatusCode = 0, FunctionError } = await lambda.send(
    new InvokeCommand({ FunctionName: name, Payload: '{}' }),
    { abortSignal },
  );
  return FunctionError === undefined ? StatusCode : 0;
}
