import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join, isAbsolute, relative } from 'node:path';

import { errorCode } from '#platform/error-code.ts';
import { present } from '#platform/present.ts';

import type { Program, ProgramEnd } from '../launcher.ts';
import { asUserCommand } from '../process/users.ts';
import { isVariableName } from '../process/shell-quote.ts';
import { startProcess } from '../process/start-process.ts';
import type { HostPath } from '../storage/follow-links.ts';
import { bubblewrapArguments, bubblewrapCommand } from './bubblewrap.ts';
import { findProgram, type Wanted } from './find-program.ts';
import type { IsolationBackend } from './isolation-backend.ts';
import { userInside, type SandboxResources, type SandboxedProgram } from './sandbox-resources.ts';
import { rootfsEntries, type RootfsEntry } from './sandbox-root.ts';
import { shellProgramScript, shellSandboxCommand, shellSandboxScript } from './shell-sandbox.ts';
import { neverStarted, SupervisedProcess } from './supervised-process.ts';
import { bareCommand, bareScript, rewriteToHostPaths } from './unisolated-process.ts';

/** Processes and threads of a program, as on AWS. */
const processesMax = 1024;

/** Open files of each process of a program (RLIMIT_NOFILE), as on AWS. */
const filesMax = 1024;

/** Starts a program with the isolation that this host provides; a program that cannot run has ended, which is not an error. */
export async function startProcessInSandbox(
  backend: IsolationBackend,
  resources: SandboxResources,
  name: string,
  program: Program,
): Promise<SupervisedProcess> {
  if (holdsNull(program)) return neverStarted(nullRefused);
  const steps = sandboxSteps(backend, resources);
  const rewrite = steps ? (text: string) => text : rewriteToHostPaths(resources);
  // A relative path is resolved against `/`.
  const directory = join('/', program.directory);
  // By the paths that the program sees: callers read them in messages, which must not reveal paths of the host.
  const wanted: Wanted = {
    command: program.command[0],
    directory,
    searchPath: program.environment['PATH'],
    asOtherUser: resources.user !== undefined,
  };
  const hostPath = steps ? hostPathThrough(steps) : rewrite;
  const found = findProgram(wanted, hostPath);
  if (found.kind === 'not-started') return neverStarted(found);
  if (backend.sandbox.kind !== 'bubblewrap') {
    const dropped = Object.keys(program.environment).find((key) => !isVariableName(key));
    if (dropped !== undefined) return neverStarted(unsettable(dropped));
  }
  if (backend.sandbox.kind === 'shell') {
    const shell = findProgram({ ...wanted, command: shellInside, directory: '/' }, hostPath);
    if (shell.kind === 'not-started') return neverStarted({ ...shell, message: needsShell });
  }
  const command: Program['command'] = [
    rewrite(found.path),
    ...program.command.slice(1).map(rewrite),
  ];
  const args = startCommand(backend, resources, steps, { ...program, command, directory });
  const output = await connected(program.output);
  const { memoryMiB, memoryMiBPerProcessor = mebibytesPerProcessor } = resources.spec;
  const bytes = memoryMiB * 2 ** 20;
  const cgroup = backend.cgroups?.make(name, { memoryBytes: bytes, processes: processesMax });
  const filter = args.filter === undefined ? undefined : openSync(args.filter, 'r');
  try {
    const child = await startProcess(
      wrapInLimits(backend, cgroup?.procsFiles ?? [], args.command, args.fileBlocks),
      [
        args.input === undefined ? 'ignore' : 'pipe',
        output,
        output,
        args.arguments === undefined ? 'ignore' : 'pipe',
        filter ?? 'ignore',
      ],
    );
    send(child.stdin, args.input);
    send(child.stdio[3], args.arguments);
    return new SupervisedProcess(child, {
      backend,
      cgroup,
      user: resources.user,
      memoryBytes: bytes,
      cpuShare: memoryMiB / memoryMiBPerProcessor,
    });
  } catch (error) {
    await cgroup?.remove();
    if (isTooLong(error)) return neverStarted(tooLong);
    throw error;
  } finally {
    // The program has its own copies; the reader reaches the end when those are closed.
    output.destroy();
    if (filter !== undefined) closeSync(filter);
  }
}

/** Whether arguments and variables are too long for the kernel (execve(2), E2BIG). */
function isTooLong(error: unknown): boolean {
  return errorCode(error) === 'E2BIG';
}

const tooLong: ProgramEnd = {
  kind: 'not-started',
  reason: 'other',
  message: 'The arguments and environment variables of the program exceed the limit of the kernel.',
};

/** execve(2) takes strings that end at U+0000, so none may contain it. */
function holdsNull({ command, environment, directory, output }: Program): boolean {
  const texts = [...command, ...Object.entries(environment).flat(), directory, output];
  return texts.some((text) => text.includes('\0'));
}

const nullRefused: ProgramEnd = {
  kind: 'not-started',
  reason: 'other',
  message: 'An argument or environment variable of the program contains U+0000.',
};

function unsettable(name: string): ProgramEnd {
  const message = `On a host without bubblewrap, the environment variable ${name} cannot be set.`;
  return { kind: 'not-started', reason: 'other', message };
}

/** What sets the program's environment where bubblewrap does not. */
const shellInside = '/bin/sh';

const needsShell = `On a host without bubblewrap, an image must contain ${shellInside}.`;

/** The memory that entitles a program to one whole processor, unless the sandbox's options say otherwise. */
const mebibytesPerProcessor = 1769;

interface StartCommand {
  readonly command: [string, ...string[]];
  readonly input?: string;
  readonly arguments?: string;
  readonly filter?: string;
  /** The most that one file may have, in blocks of 512 bytes. */
  readonly fileBlocks?: number;
}

function sandboxSteps(
  backend: IsolationBackend,
  resources: SandboxResources,
): RootfsEntry[] | undefined {
  if (backend.sandbox.kind === 'none') return undefined;
  return rootfsEntries({
    ...present({ image: resources.image }),
    mounts: resources.mounts,
    temporary: resources.storage.path,
    etc: resources.etc,
    mountsOverFiles: backend.sandbox.kind === 'bubblewrap',
  });
}

function startCommand(
  backend: IsolationBackend,
  resources: SandboxResources,
  root: RootfsEntry[] | undefined,
  program: Program,
): StartCommand {
  const { sandbox } = backend;
  if (sandbox.kind === 'none' || !root) {
    return {
      command: bareCommand(backend, resources, program),
      input: bareScript(resources, program),
      fileBlocks: resources.spec.ephemeralStorageMiB * 2048,
    };
  }
  const sandboxed: SandboxedProgram = {
    ...program,
    root,
    network: newNetwork(backend, resources) ? 'new' : 'as-is',
    memoryMiB: resources.spec.memoryMiB,
    user: userInside,
    filtered: sandbox.kind === 'bubblewrap' && sandbox.filter !== undefined,
  };
  if (sandbox.kind === 'shell') {
    return {
      command: wrapInNamespaces(backend, resources, shellSandboxCommand(sandbox.tools, sandboxed)),
      input: shellSandboxScript(sandbox.tools, sandboxed, shellInside),
      arguments: shellProgramScript(sandboxed),
    };
  }
  return {
    command: wrapInNamespaces(backend, resources, bubblewrapCommand(sandbox.bwrap, sandboxed)),
    arguments: bubblewrapArguments(sandboxed),
    ...present({ filter: sandbox.filter }),
  };
}

function newNetwork(backend: IsolationBackend, resources: SandboxResources): boolean {
  if (resources.spec.network.kind === 'host' || resources.namespace) return false;
  return backend.loopbackUp !== undefined;
}

/** In the network namespace and as the user of the sandbox. */
function wrapInNamespaces(
  { setpriv }: IsolationBackend,
  { user, namespace }: SandboxResources,
  command: [string, ...string[]],
): [string, ...string[]] {
  const asUser: [string, ...string[]] =
    setpriv === undefined || user === undefined
      ? command
      : [setpriv, ...asUserCommand(user), '--', ...command];
  return namespace ? namespace.enter(asUser) : asUser;
}

/**
 * Joins the control groups, sets resource limits, and runs the command: in this order, so that nothing that it starts is ever outside the
 * groups.
 */
function wrapInLimits(
  { tools }: IsolationBackend,
  procsFiles: readonly string[],
  command: readonly string[],
  fileBlocks: number | undefined,
): [string, ...string[]] {
  const script =
    'n=$1; shift; while [ "$n" -gt 0 ]; do echo 0 >"$1" || exit 1; shift; n=$((n-1)); done; ' +
    `ulimit -c 0; ulimit -n ${filesMax} 2>/dev/null; ` +
    (fileBlocks === undefined ? '' : `ulimit -f ${fileBlocks}; `) +
    'exec "$@"';
  return [tools.sh, '-c', script, 'sh', String(procsFiles.length), ...procsFiles, ...command];
}

async function connected(path: string): Promise<Socket> {
  const socket = connect({ path });
  // The program alone uses it.
  socket.pause();
  await once(socket, 'connect');
  // An error event without a listener ends this process.
  socket.on('error', () => socket.destroy());
  return socket;
}

function send(pipe: unknown, text: string | undefined): void {
  if (text === undefined || !isWritable(pipe)) return;
  // A program may end before it has read everything; its exit reports how.
  pipe.on('error', () => {});
  pipe.end(text);
}

function isWritable(pipe: unknown): pipe is NodeJS.WritableStream {
  return typeof pipe === 'object' && pipe !== null && 'end' in pipe;
}

/** Where the files are, on this side, that a sandbox of these steps shows. */
function hostPathThrough(steps: readonly RootfsEntry[]): HostPath {
  const latestFirst = steps.toReversed();
  return (path) => {
    for (const step of latestFirst) {
      const below = relative(step.to, path);
      if (below.startsWith('..') || isAbsolute(below)) continue;
      if (step.kind === 'mount') return join(step.from, below);
      // The links of the root stand for those of the host that they were made from.
      if (step.kind === 'link' && below === '') return step.from;
    }
    // A folder on the way to a mount, or the root: any folder does, for nothing else is asked about it.
    const isOnTheWay = steps.some((step) => step.to.startsWith(path === '/' ? '/' : `${path}/`));
    return isOnTheWay ? '/' : undefined;
  };
}
