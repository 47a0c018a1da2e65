import { signRequest } from '../signing/sign-request.ts';
import type { DeclaredResources, EventTarget } from './declared-resources.ts';
import { endpointRequest } from './endpoint-request.ts';
import type { Message } from './message.ts';
import { envelope, fileMessage } from './file-message.ts';
import { jsonRequest, post, type Posted } from './post.ts';

export interface Attempt {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly signal: AbortSignal;
}

/** Hands a message to what the operator has declared under that ARN; throws when it was not taken. */
export async function deliver(
  { targets }: Pick<DeclaredResources, 'targets'>,
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

/** As the clients of the vendor send it from inside a function: it is not signed, since proxies may add to it. */
function traced({ headers, body }: Posted, { traceHeader }: Message): Posted {
  const trace = traceHeader === undefined ? {} : { 'x-amzn-trace-id': traceHeader };
  return { headers: { ...headers, ...trace }, body };
}
