/**
 * The sandbox of a host without bubblewrap, made by the host's `unshare` and `mount`: slower, for each mount is a program, and without a
 * filter of system calls. It is started as the sandbox's own user, so nothing here has rights that the program must not get.
 */
import { statSync } from 'node:fs';
import { basename, dirname } from 'node:path';

import type { HostTools } from '../process/host-tools.ts';
import { type SandboxedProgram, sharedMemoryMiBMax } from './sandbox-resources.ts';
import type { RootfsEntry } from './sandbox-root.ts';
import { becomeProgram, shellQuoted } from '../process/shell-quote.ts';

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

/** Number of the open file that the second shell reads its script from. */
const programScriptDescriptor = 3;

/** What the shell in the new root reads; it becomes the program. */
export function shellProgramScript(program: SandboxedProgram): string {
  return becomeProgram(program.environment).join('\n');
}

/**
 * What the shell, the first process of the sandbox, reads from its standard input. Nothing that it starts knows the program's
 * environment; `shell` is a shell in the new root.
 */
export function shellSandboxScript(
  tools: ShellSandboxTools,
  program: SandboxedProgram,
  shell: string,
): string {
  const mount = shellQuoted(tools.mount);
  const { user, directory, root } = program;
  // Every command that is not a shell builtin costs a millisecond, so we combine them where possible.
  const { copied, mounted } = sorted(root);
  return [
    'set -e',
    ...(program.network === 'new' ? [tools.loopbackUp] : []),
    // Any folder does as the bottom: the mount hides it from this sandbox only.
    `${mount} -t tmpfs -o mode=755 root ${top}`,
    `mkdir -p ${folders(root).map(pathUnderRoot).join(' ')}`,
    ...copyLines(copied),
    ...mounted.flatMap((step) => stepLines(step, mount, program.memoryMiB)),
    `${mount} -o remount,ro,bind ${top}`,
    // Another user namespace, of which the program is not the root, and a new root: together they
    // leave it no right over this sandbox.
    `${shellQuoted(tools.setpriv)} --no-new-privs ${shellQuoted(tools.unshare)} --user ` +
      `--map-user=${user} --map-group=${user} --root=${top} --wd=${shellQuoted(directory)} ` +
      `-- ${shellQuoted(shell)} -s -- "$@" <&${programScriptDescriptor} ${programScriptDescriptor}<&-`,
    '',
  ].join('\n');
}

const top = '/sys';

function pathUnderRoot(path: string): string {
  return shellQuoted(`${top}${path}`);
}

/** Links, and the small files of `/etc`, are copied: one program for all of a folder. */
function sorted(steps: readonly RootfsEntry[]) {
  const copied = new Map<string, string[]>();
  const mounted: RootfsEntry[] = [];
  for (const step of steps) {
    const small =
      step.kind === 'link' ||
      (step.kind === 'mount' && step.to.startsWith('/etc/') && isFile(step));
    if (!small || basename(step.from) !== basename(step.to)) {
      mounted.push(step);
      continue;
    }
    const folder = dirname(step.to);
    copied.set(folder, [...(copied.get(folder) ?? []), step.from]);
  }
  return { copied, mounted };
}

function copyLines(copied: ReadonlyMap<string, readonly string[]>): string[] {
  return [...copied].map(([folder, paths]) => {
    // A link in /etc may lead outside the root, so its target is copied; links in the root stay links.
    const how = folder === '/etc' ? '-L' : '-P';
    return `cp ${how} ${paths.map(shellQuoted).join(' ')} ${pathUnderRoot(folder)}/`;
  });
}

function folders(steps: readonly RootfsEntry[]): string[] {
  return steps.flatMap((step) => {
    if (step.kind === 'devices') return [step.to, `${step.to}/shm`];
    if (step.kind === 'link' || isFile(step)) return [];
    return [step.to];
  });
}

function isFile(step: RootfsEntry): boolean {
  return step.kind === 'mount' && !statSync(step.from).isDirectory();
}

function stepLines(step: RootfsEntry, mount: string, memoryMiB: number): string[] {
  const to = pathUnderRoot(step.to);
  switch (step.kind) {
    case 'folder':
      return [];
    case 'link':
      return [`ln -s -- ${shellQuoted(step.target)} ${to}`];
    case 'mount':
      return [
        ...(isFile(step) ? [`: >>${to}`] : []),
        `${mount} -o rbind,nosuid,nodev${step.writable ? '' : ',ro'} ${shellQuoted(step.from)} ${to}`,
      ];
    case 'processes':
      return [`${mount} -t proc -o nosuid,nodev,noexec proc ${to}`];
    case 'devices':
      return deviceLines(step.to, mount, memoryMiB);
  }
}

const devices = ['null', 'zero', 'full', 'random', 'urandom'];

function deviceLines(folder: string, mount: string, memoryMiB: number): string[] {
  const to = `${top}${folder}`;
  const size = Math.min(memoryMiB, sharedMemoryMiBMax);
  return [
    ...devices.map((name) => `: >>${to}/${name}; ${mount} --bind /dev/${name} ${to}/${name}`),
    `${mount} -t tmpfs -o mode=1777,nosuid,nodev,size=${size}m shm ${to}/shm`,
    `cp -P /dev/fd /dev/stdin /dev/stdout /dev/stderr ${to}/`,
  ];
}
