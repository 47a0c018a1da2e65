import { Readable } from 'node:stream';

import type { FastifyBaseLogger } from 'fastify';

import { renderRefusal } from '../errors/error-responses.ts';
import { RefusalError } from '../errors/api-error.ts';
import type { GitAuthorization } from '../git-http/git-access.ts';
import { authorizeSsh } from '../git-http/key-access.ts';
import { grantLargeFiles } from '../git-http/large-file-grants.ts';
import { takePush } from '../git-http/push.ts';
import { bodyBytesMax } from '../git-http/request-body.ts';
import { GitError } from '../git/git-error.ts';
import { GitRefusal, refusalOfError } from '../http/from-git-error.ts';
import {
  type GitTransferLimiters,
  startTransfer,
  transferCaller,
} from '../http/transfer-limiter.ts';
import { callerAccountId } from '../model/caller.ts';
import type { Ports } from '../ports/ports.ts';
import type { SshKey } from '../model/ssh-key.ts';
import type { SshCommand } from './git-command.ts';
import type { SshChannel } from './ssh-channel.ts';

export interface GitParts {
  readonly ports: Ports;
  readonly limiters: GitTransferLimiters;
  readonly log: FastifyBaseLogger;
}

export interface GitRequest {
  readonly command: Extract<SshCommand, { kind: 'git' }>;
  readonly key: SshKey;
  readonly address: string;
  /** What the client sent as GIT_PROTOCOL. */
  readonly protocol: string | undefined;
}

export interface LfsGrantRequest {
  readonly command: Extract<SshCommand, { kind: 'lfs' }>;
  readonly key: SshKey;
}

/** Runs one command of git to its end. Returns the exit status. */
export function serveGit(
  parts: GitParts,
  request: GitRequest,
  channel: SshChannel,
): Promise<number> {
  return untilServed(parts, channel, async () => {
    const { service } = request.command;
    const authorization = await authorizeSsh(parts.ports, request.key, request.command, service);
    if (service === 'upload-pack') await serveFetch(parts, request, authorization, channel);
    else await servePush(parts, request, authorization, channel);
  });
}

/**
 * Answers with the address of the large files of a repository and a header that opens it for a short time
 * (https://github.com/git-lfs/git-lfs/blob/main/docs/api/server-discovery.md).
 */
export function serveLfsGrant(
  parts: GitParts,
  { command, key }: LfsGrantRequest,
  channel: SshChannel,
): Promise<number> {
  return untilServed(parts, channel, async () => {
    const { repositoryId } = await authorizeSsh(parts.ports, key, command, command.service);
    const { service } = command;
    const answer = await grantLargeFiles(parts.ports, { keyId: key.id, repositoryId, service });
    await channel.send(Readable.from([Buffer.from(`${JSON.stringify(answer)}\n`)]));
  });
}

/** Says to the client why it is refused. */
export async function untilServed(
  { log }: GitParts,
  channel: SshChannel,
  serve: () => Promise<void>,
): Promise<number> {
  try {
    await serve();
    await channel.linger();
    return 0;
  } catch (error) {
    if (!channel.gone.aborted) await channel.writeError(`ERROR: ${messageOf(error, log)}`);
    return 1;
  }
}

async function serveFetch(
  { ports, limiters }: GitParts,
  { address, protocol }: GitRequest,
  { repositoryId, caller }: GitAuthorization,
  channel: SshChannel,
): Promise<void> {
  const { gone } = channel;
  const as = transferCaller(caller, address);
  const output = await startTransfer(limiters['upload-pack'], as, gone, async () => ({
    stream: await ports.git
      .repository(repositoryId)
      .serveFetch(channel.input(bodyBytesMax['upload-pack']), protocol),
  }));
  await channel.send(output);
}

/** The same two steps as over HTTP: git says what is there, and then takes the push. */
async function servePush(
  { ports, limiters, log }: GitParts,
  { address, protocol }: GitRequest,
  authorization: GitAuthorization,
  channel: SshChannel,
): Promise<void> {
  const { repositoryId, caller, onlyBranches, authorizeAgain, deployKey = false } = authorization;
  const { gone } = channel;
  const [limiter, as] = [limiters['receive-pack'], transferCaller(caller, address)];
  const advertisement = await startTransfer(limiter, as, gone, async () => ({
    stream: await ports.git.repository(repositoryId).advertise('receive-pack', protocol),
  }));
  await channel.send(advertisement);
  const body = channel.input(bodyBytesMax['receive-pack']);
  const push = { repositoryId, onlyBranches, authorizeAgain, deployKey, body, protocol, log };
  const output = await startTransfer(limiter, as, gone, () =>
    takePush(ports, { ...push, pusherId: callerAccountId(caller), staysOpen: true }),
  );
  await channel.send(output);
}

/** What the client shows its user. */
function messageOf(error: unknown, log: FastifyBaseLogger): string {
  if (error instanceof GitError && error.kind === 'missing-repository') {
    return 'Repository not found.';
  }
  const refusal = error instanceof RefusalError ? error.refusal : refusalOfError(error);
  if (refusal) return renderRefusal(refusal).message;
  if (error instanceof GitRefusal) return error.message;
  log.error({ err: error }, 'git over SSH failed');
  return 'Server Error';
}
