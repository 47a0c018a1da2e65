import type { DeclaredResources } from './declared-resources.ts';
import { endpointRequest } from './endpoint-request.ts';
import type { Message } from './message.ts';
import { envelope, fileMessage } from './file-message.ts';
import { post, postJson } from './post.ts';

/** Hands a message to what the operator has declared under that ARN; throws when it was not taken. */
export async function deliver(
  { targets }: Pick<DeclaredResources, 'targets'>,
  arn: string,
  message: Message,
  signal: AbortSignal,
): Promise<void> {
  const target = targets.get(arn);
  if (!target) throw new Error(`${arn} is not declared on this host.`);
  switch (target.kind) {
    case 'folder':
      return fileMessage(target.folder, arn, message);
    case 'http':
      return postJson(target.url, envelope(arn, message), signal);
    case 'endpoint':
      return post(target.url, endpointRequest(target.url, arn, message), signal);
  }
}
