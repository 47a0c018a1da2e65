/**
 * The room is what the launcher process runs in. Where the host allows it, it is a mount and a process namespace: what
 * the launcher mounts is gone with it, and the kernel ends everything in the room when the launcher ends, however
 * it ends.
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
  const bare: SupervisorNamespaces = { ownNamespaces: false, command: [process.execPath, program] };
  const mayUseNamespaces = strongest === 'full' || strongest === 'user';
  const { unshare, sh, mount } = tools;
  if (!mayUseNamespaces || unshare === undefined || sh === undefined || mount === undefined) {
    return [bare];
  }
  const own: SupervisorNamespaces = {
    ownNamespaces: true,
    command: [
      unshare,
      ...(root ? [] : ['--user', '--map-root-user']),
      '--mount',
      // What the host mounts later is seen; what we mount is not seen by the host.
      '--propagation',
      'slave',
      '--pid',
      '--fork',
      '--kill-child',
      '--mount-proc',
      // The first process of a room inherits all orphans, and Node does not bury other people's children.
      sh,
      '-c',
      '"$@"; exit $?',
      'sh',
      ...bare.command,
    ],
  };
  return [own, bare];
}
