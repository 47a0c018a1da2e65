import { createHash } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { syncFolder } from '#platform/durable-files.ts';
import { signRequest } from '../signing/sign-request.ts';
import type { ConfiguredResources, EventTarget } from './configured-resources.ts';
import {
  endpointRequest,
  type Message,
  jsonRequest,
  post,
  type Posted,
} from './endpoint-request.ts';

interface Attempt {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly signal: AbortSignal;
}

/** Delivers a message to the target that the operator has configured under that ARN; throws when it was not accepted. */
export async function deliver(
  { targets }: Pick<ConfiguredResources, 'targets'>,
  arn: string,
  message: Message,
  { at, signal }: Attempt,
): Promise<void> {
  const target = targets.get(arn);
  if (!target) throw new Error(`${arn} is not declared on this server.`);
  if (target.kind === 'folder') return fileMessage(target.folder, arn, message);
  const request =
    target.kind === 'http'
      ? jsonRequest(envelope(arn, message))
      : endpointRequest(target.url, arn, message);
  await post(target.url, traced(signed(target, arn, request, at), message), signal);
}

/** For the service and the region that the ARN names. */
function signed(
  { url, key }: Exclude<EventTarget, { kind: 'folder' }>,
  arn: string,
  request: Posted,
  now: number,
): Posted {
  if (!key) return request;
  const [, , service = '', region = ''] = arn.split(':');
  const terms = { key: key.reveal(), region, service, now };
  return { ...request, headers: signRequest({ method: 'POST', url, ...request }, terms) };
}

/** As AWS's clients send it from inside a function: not signed, since proxies may add to it. */
function traced({ headers, body }: Posted, { traceHeader }: Message): Posted {
  const trace = traceHeader === undefined ? {} : { 'x-amzn-trace-id': traceHeader };
  return { headers: { ...headers, ...trace }, body };
}

/** Writes a message atomically to a file of its own; the same message twice is one file. */
async function fileMessage(folder: string, arn: string, message: Message): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const name = fileName(arn, message);
  const unfinished = join(folder, `.${name}.part`);
  // Left by a crash. A function that shares the folder may have made it a link: it is never opened.
  await rm(unfinished, { force: true });
  try {
    const file = await open(unfinished, 'wx', 0o600);
    try {
      await file.writeFile(envelope(arn, message));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, join(folder, `${name}.json`));
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

/** A message in JSON for receivers without a protocol of their own; its body stays a string. */
function envelope(arn: string, { id, body, attributes }: Message): string {
  return JSON.stringify({ target: arn, id, attributes, body });
}

/**
 * Several targets may share a directory, ids may contain any characters, and a failed event may have two messages of one id: to its
 * destination and to the dead-letter target of its function.
 */
function fileName(arn: string, message: Message): string {
  const readable = message.id.replaceAll(/[^\w-]/g, '_').slice(0, 64);
  const digest = createHash('sha256').update(envelope(arn, message)).digest('hex');
  return `${readable}-${digest.slice(0, 16)}`;
}
