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

/** Runs a tool of the host to its end; fails with what it says. */
export async function runTool(command: readonly [string, ...string[]]): Promise<void> {
  const child = await startProcess(command, ['ignore', 'ignore', 'pipe']);
  const [stderr, status] = await Promise.all([
    child.stderr === null ? '' : text(child.stderr),
    exitStatus(child),
  ]);
  if (status !== 0) {
    throw new ToolError(`${command.join(' ').slice(0, 200)} failed (${status}): ${stderr.trim()}`);
  }
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
