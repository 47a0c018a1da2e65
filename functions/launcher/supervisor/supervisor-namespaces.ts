/**
 * The namespaces of the launcher process: a mount and a PID namespace where the host allows them. The launcher's mounts then end
 * with it, and the kernel ends every process in the PID namespace when the launcher ends, for whatever reason.
 */
import { fileURLToPath } from 'node:url';

import type { HostTools } from '../process/host-tools.ts';
import type { IsolationTier } from '../isolation.ts';

export interface SupervisorNamespaces {
  readonly ownNamespaces: boolean;
  readonly command: readonly [string, ...string[]];
}

const program = fileURLToPath(new URL('launcher-process.ts', import.meta.url));

/** The ways to start the launcher process, the strongest first. */
export function supervisorNamespaces(
  tools: HostTools,
  root: boolean,
  strongest: IsolationTier,
): SupervisorNamespaces[] {
  const plain: SupervisorNamespaces = {
    ownNamespaces: false,
    command: [process.execPath, program],
  };
  const mayUseNamespaces = strongest === 'full' || strongest === 'user';
  const { unshare, sh, mount } = tools;
  if (!mayUseNamespaces || unshare === undefined || sh === undefined || mount === undefined) {
    return [plain];
  }
  const own: SupervisorNamespaces = {
    ownNamespaces: true,
    command: [
      unshare,
      ...(root ? [] : ['--user', '--map-root-user']),
      '--mount',
      // We see later mounts of the host; the host does not see ours.
      '--propagation',
      'slave',
      '--pid',
      '--fork',
      '--kill-child',
      '--mount-proc',
      // The first process of a PID namespace inherits all orphans, and Node does not reap processes that it did not start.
      sh,
      '-c',
      '"$@"; exit $?',
      'sh',
      ...plain.command,
    ],
  };
  return [own, plain];
}
