import type { Readable } from 'node:stream';

import { feedChild, streamChild, transferProcessorSeconds } from '../commands/child-stream.ts';
import type { GitService } from '../git.ts';
import { type GitDirectory, requireRepository } from '../commands/git-directory.ts';

const mebibyte = 1024 * 1024;
/** Memory and processor time of git for a clone or fetch. */
const uploadLimits = { memoryBytes: 2048 * mebibyte, processorSeconds: transferProcessorSeconds };

export async function advertise(
  directory: GitDirectory,
  service: GitService,
  protocol: string | undefined,
): Promise<Readable> {
  await requireRepository(directory);
  const child = directory.state.runner.start({
    arguments: [service, '--stateless-rpc', '--http-backend-info-refs', directory.path],
    environment: protocolEnvironment(protocol),
  });
  child.stdin.end();
  return streamChild(child);
}

/** With `whole`, it also advertises and negotiates, in both directions at once, as over SSH. */
export async function uploadPack(
  directory: GitDirectory,
  request: Readable,
  protocol: string | undefined,
  whole = false,
): Promise<Readable> {
  await requireRepository(directory);
  const child = directory.state.runner.start({
    arguments: ['upload-pack', ...(whole ? [] : ['--stateless-rpc']), '--strict', directory.path],
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
