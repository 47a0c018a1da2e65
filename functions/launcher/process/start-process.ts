/** The only module of the launcher process that starts a process: it inherits only what is listed. */
import { spawn } from 'node:child_process';
import type { ChildProcess, StdioOptions } from 'node:child_process';
import { once } from 'node:events';
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

export class ToolError extends Error {}

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
