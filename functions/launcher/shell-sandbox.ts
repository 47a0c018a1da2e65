/**
 * The sandbox of a host without bubblewrap, made by the host's `unshare` and `mount`: slower, for each mount is a program, and without a
 * filter of system calls. It is started as the place's own user, so nothing here has rights that the program must not get.
 */
import type { HostTools } from './host-tools.ts';
import type { SandboxedProgram } from './sandbox.ts';
import { sharedMemoryMiBMax } from './sandbox.ts';
import type { RootStep } from './sandbox-root.ts';
import { exports, quoted } from './shell-words.ts';

export type ShellSandboxTools = Required<
  Pick<HostTools, 'unshare' | 'sh' | 'setpriv' | 'mount'>
> & { readonly loopbackUp: string };

export function shellSandboxCommand(
  tools: ShellSandboxTools,
  program: SandboxedProgram,
): [string, ...string[]] {
  return [
    tools.unshare,
    '--user',
    '--map-root-user',
    '--mount',
    '--pid',
    '--ipc',
    '--uts',
    ...(program.network === 'new' ? ['--net'] : []),
    '--fork',
    '--kill-child',
    tools.sh,
    '-s',
    '--',
    ...program.command,
  ];
}

/** What the shell, the first process of the sandbox, reads from its standard input. */
export function shellSandboxScript(tools: ShellSandboxTools, program: SandboxedProgram): string {
  const mount = quoted(tools.mount);
  const { user, directory } = program;
  return [
    'set -e',
    // Any folder does as the bottom: the mount hides it from this sandbox only.
    `top=/proc`,
    `cd /`,
    ...(program.network === 'new' ? [tools.loopbackUp] : []),
    `${mount} -t tmpfs -o mode=755 root /sys`,
    ...program.root.flatMap((step) => stepLines(step, mount, program.memoryMiB)),
    `${mount} -o remount,ro,bind /sys`,
    ...exports(program.environment),
    // Another user namespace, of which the program is not the root, and a new root: together they
    // leave it no right over this sandbox.
    `${quoted(tools.setpriv)} --no-new-privs ${quoted(tools.unshare)} --user ` +
      `--map-user=${user} --map-group=${user} --root=/sys --wd=${quoted(directory)} ` +
      '-- "$@" </dev/null',
    '',
  ].join('\n');
}

function stepLines(step: RootStep, mount: string, memoryMiB: number): string[] {
  const to = quoted(`/sys${step.to}`);
  switch (step.kind) {
    case 'folder':
      return [`mkdir -p ${to}`];
    case 'link':
      return [...parent(step.to), `ln -s ${quoted(step.target)} ${to}`];
    case 'mount':
      return [
        ...parent(step.to),
        `if [ -d ${quoted(step.from)} ]; then mkdir -p ${to}; else : >>${to}; fi`,
        `${mount} --rbind ${quoted(step.from)} ${to}`,
        `${mount} -o remount,bind,nosuid,nodev${step.writable ? '' : ',ro'} ${to}`,
      ];
    case 'processes':
      return [`mkdir -p ${to}`, `${mount} -t proc -o nosuid,nodev,noexec proc ${to}`];
    case 'devices':
      return deviceLines(step.to, mount, memoryMiB);
  }
}

const devices = ['null', 'zero', 'full', 'random', 'urandom', 'tty'];

function deviceLines(folder: string, mount: string, memoryMiB: number): string[] {
  const top = `/sys${folder}`;
  const size = Math.min(memoryMiB, sharedMemoryMiBMax);
  return [
    `mkdir -p ${top}/shm`,
    ...devices.map((name) => `: >>${top}/${name}; ${mount} --bind /dev/${name} ${top}/${name}`),
    `${mount} -t tmpfs -o mode=1777,nosuid,nodev,size=${size}m shm ${top}/shm`,
    `ln -s /proc/self/fd ${top}/fd`,
    ...['stdin', 'stdout', 'stderr'].map(
      (name, index) => `ln -s /proc/self/fd/${index} ${top}/${name}`,
    ),
  ];
}

function parent(path: string): string[] {
  const folder = path.slice(0, path.lastIndexOf('/'));
  return folder === '' ? [] : [`mkdir -p ${quoted(`/sys${folder}`)}`];
}
