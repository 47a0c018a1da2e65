import { PassThrough } from 'node:stream';
import type { Readable } from 'node:stream';

import { feedChild, streamChild } from '../commands/child-stream.ts';
import type { GitService } from '../git.ts';
import { type GitDirectory, requireRepository } from '../commands/git-directory.ts';
import { formatPacket } from '../format/pkt-line.ts';

const mebibyte = 1024 * 1024;
const uploadLimits = { memoryBytes: 2048 * mebibyte };

export async function advertise(
  directory: GitDirectory,
  service: GitService,
  protocol: string | undefined,
): Promise<Readable> {
  await requireRepository(directory);
  const child = directory.host.runner.start({
    arguments: [service, '--stateless-rpc', '--http-backend-info-refs', directory.path],
    environment: protocolEnvironment(protocol),
  });
  child.stdin.end();
  const output = new PassThrough();
  output.write(Buffer.concat([formatPacket(`# service=git-${service}\n`), Buffer.from('0000')]));
  const advertisement = streamChild(child);
  advertisement.once('error', (error) => output.destroy(error));
  output.once('close', () => advertisement.destroy());
  return advertisement.pipe(output);
}

export async function uploadPack(
  directory: GitDirectory,
  request: Readable,
  protocol: string | undefined,
): Promise<Readable> {
  await requireRepository(directory);
  const child = directory.host.runner.start({
    arguments: ['upload-pack', '--stateless-rpc', '--strict', directory.path],
    environment: protocolEnvironment(protocol),
    limits: uploadLimits,
  });
  feedChild(request, child);
  return streamChild(child);
}

/**
 * Only the three defined values of `Git-Protocol` reach git's environment.
 */
export function protocolEnvironment(protocol: string | undefined): Record<string, string> {
  return protocol !== undefined && /^version=[012]$/.test(protocol)
    ? { GIT_PROTOCOL: protocol }
    : {};
}
