/** The one place where the launcher process starts anything: nothing is inherited but what is listed. */
import { spawn } from 'node:child_process';
import type { ChildProcess, StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** Starts a program in a process group of its own, with no environment. */
export function startProcess(
  command: readonly [string, ...string[]],
  stdio: StdioOptions,
): ChildProcess {
  const [file, ...words] = command;
  return spawn(file, words, { cwd: '/', env: {}, stdio, detached: true });
}

export class ToolError extends Error {}

/** Runs a tool of the host to its end; fails with what it says. */
export async function runTool(command: readonly [string, ...string[]]): Promise<void> {
  const child = startProcess(command, ['ignore', 'ignore', 'pipe']);
  const [stderr, status] = await Promise.all([
    child.stderr === null ? '' : text(child.stderr),
    exitStatus(child),
  ]);
  if (status !== 0) {
    throw new ToolError(`${command.join(' ').slice(0, 200)} failed (${status}): ${stderr.trim()}`);
  }
}

async function exitStatus(child: ChildProcess): Promise<number | string> {
  try {
    const [status, signal]: unknown[] = await once(child, 'exit');
    return typeof status === 'number' ? status : String(signal);
  } catch (error) {
    return String(error);
  }
}
