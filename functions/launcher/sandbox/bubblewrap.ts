import { nullTerminated } from '#platform/null-terminated.ts';

import { type SandboxedProgram, sharedMemoryMiBMax } from './sandbox-resources.ts';
import type { RootfsEntry } from './sandbox-root.ts';

/** Numbers of the open files that bubblewrap is given. */
export const argumentsDescriptor = 3;
export const filterDescriptor = 4;

/** This appears in the host's process list, so it holds only the program's own command. */
export function bubblewrapCommand(bwrap: string, program: SandboxedProgram): [string, ...string[]] {
  return [bwrap, '--args', String(argumentsDescriptor), '--', ...program.command];
}

/** bubblewrap reads these from a pipe: the program's environment must not appear in a process list. */
export function bubblewrapArguments(program: SandboxedProgram): string {
  const args = [
    '--unshare-user',
    '--uid',
    String(program.user),
    '--gid',
    String(program.user),
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    // What a program sees of its control groups begins at its own.
    '--unshare-cgroup-try',
    '--hostname',
    'function',
    ...(program.network === 'new' ? ['--unshare-net'] : []),
    '--die-with-parent',
    '--new-session',
    ...(program.filtered ? ['--seccomp', String(filterDescriptor)] : []),
    ...program.root.flatMap((step) => stepArgs(step, program.memoryMiB)),
    // Everything else is read-only.
    '--remount-ro',
    '/dev',
    '--remount-ro',
    '/',
    '--chdir',
    program.directory,
    '--clearenv',
    ...Object.entries(program.environment).flatMap(([name, value]) => ['--setenv', name, value]),
  ];
  return nullTerminated(args);
}

function stepArgs(step: RootfsEntry, memoryMiB: number): string[] {
  switch (step.kind) {
    case 'folder':
      return ['--dir', step.to];
    case 'link':
      return ['--symlink', step.target, step.to];
    case 'mount':
      return [step.writable ? '--bind' : '--ro-bind', step.from, step.to];
    case 'processes':
      return ['--proc', step.to];
    case 'devices': {
      const bytes = Math.min(memoryMiB, sharedMemoryMiBMax) * 2 ** 20;
      const shared = ['--perms', '1777', '--size', String(bytes), '--tmpfs', `${step.to}/shm`];
      return ['--dev', step.to, ...shared];
    }
  }
}
