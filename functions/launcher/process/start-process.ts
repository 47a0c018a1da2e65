/** The only module of the launcher process that starts a process: it inherits only what is listed. */
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, readdirSync, readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';

/**
 * Starts a program in a process group of its own, with no environment. Rejects when it cannot be started: a child without a
 * process may have no pipes either (Node leaves them undefined on EMFILE), and an error event without a listener ends this process.
 */
export async function startProcess(
  command: readonly [string, ...string[]],
  stdio: StdioOptions,
): Promise<ChildProcess> {
  const [file, ...args] = command;
  const child = spawn(file, args, { cwd: '/', env: {}, stdio, detached: true });
  if (child.pid === undefined) {
    const [error]: unknown[] = await once(child, 'error');
    throw new ToolError(`Starting ${file} failed: ${String(error)}`);
  }
  return child;
}

class ToolError extends Error {}

/**
 * Time of a tool of the host, such as mkfs or mount; then it is killed, and the sandbox is not opened. Tools take milliseconds;
 * on a host that is out of memory or waits for a disk, seconds.
 */
export const toolMilliseconds = 30_000;

/**
 * Runs a tool of the host to its end; fails with what it says. One that does not end is killed and given up, because other
 * sandboxes wait for it; it may remain when even that has no effect, as with a device that does not answer.
 */
export async function runTool(
  command: readonly [string, ...string[]],
  milliseconds = toolMilliseconds,
): Promise<void> {
  const child = await startProcess(command, ['ignore', 'ignore', 'pipe']);
  const ended = Promise.all([child.stderr === null ? '' : text(child.stderr), exitStatus(child)]);
  const [stderr, status] = await orGiveUp(child, ended, command[0], milliseconds);
  if (status !== 0) {
    throw new ToolError(`${command.join(' ').slice(0, 200)} failed (${status}): ${stderr.trim()}`);
  }
}

/** What a process was started for; kills its group when it takes too long. */
export async function orGiveUp<T>(
  child: ChildProcess,
  work: Promise<T>,
  name: string,
  milliseconds = toolMilliseconds,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const givenUp = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new ToolError(`${name} did not end within ${milliseconds / 1000} s.`));
      killGroup(child);
    }, milliseconds);
  });
  try {
    return await Promise.race([work, givenUp]);
  } finally {
    clearTimeout(timer);
  }
}

/** Not of one that has ended while another process holds its output: its number may be that of another group by now. */
function killGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL');
}

async function exitStatus(child: ChildProcess): Promise<number | string> {
  const [status, signal]: unknown[] = await once(child, 'exit');
  return typeof status === 'number' ? status : String(signal);
}

const closesOnExec = 0o2000000;

/**
 * Closes the descriptors that this process inherited: they would be passed on to every program. Those that Node opens itself are
 * close-on-exec and stay open.
 */
export function closeInherited(): void {
  for (const descriptor of openDescriptors()) {
    if (descriptor > 2 && isInherited(descriptor)) closeSync(descriptor);
  }
}

function openDescriptors(): number[] {
  try {
    return readdirSync('/proc/self/fd').map(Number);
  } catch {
    // Not Linux.
    return [];
  }
}

function isInherited(descriptor: number): boolean {
  try {
    const info = readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8');
    const flags = /^flags:\s*([0-7]+)$/m.exec(info)?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & closesOnExec) === 0;
  } catch {
    // It was the descriptor of the list itself.
    return false;
  }
}
