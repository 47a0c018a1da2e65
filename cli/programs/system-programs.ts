/** The only file of the client that starts other programs; loaded only when one is needed. */
import { spawn } from 'node:child_process';

import type { ProgramCall, ProgramResult } from './command-line.ts';

/** Reads what a program prints. */
export async function runSystemProgram(call: ProgramCall): Promise<ProgramResult> {
  const child = spawn(call.program, call.args, {
    env: call.environment,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const output: Uint8Array[] = [];
  const errors: Uint8Array[] = [];
  child.stdout.on('data', (chunk: Uint8Array) => output.push(chunk));
  child.stderr.on('data', (chunk: Uint8Array) => errors.push(chunk));
  // A program that reads nothing may end before its input is written.
  child.stdin.on('error', () => undefined);
  child.stdin.end(call.input);
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ kind: 'unstartable', message: startMessage(error) }));
    child.on('close', (status) =>
      resolve({
        kind: 'ended',
        status: status ?? undefined,
        output: Buffer.concat(output).toString('utf8'),
        errors: Buffer.concat(errors).toString('utf8'),
      }),
    );
  });
}

/** Lets a program have the terminal, and gives it a text to read; for pagers. */
export async function showInProgram(call: ProgramCall): Promise<ProgramResult> {
  const child = spawn(call.program, call.args, {
    env: call.environment,
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  // Leaving a pager before its end closes the pipe, which is no error.
  child.stdin.on('error', () => undefined);
  child.stdin.end(call.input);
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ kind: 'unstartable', message: startMessage(error) }));
    child.on('close', (status) =>
      resolve({ kind: 'ended', status: status ?? undefined, output: '', errors: '' }),
    );
  });
}

/** With the messages that scripts know from the AWS CLI. */
function startMessage(error: Error): string {
  const code = 'code' in error ? error.code : undefined;
  const path = 'path' in error ? error.path : undefined;
  if (code === 'ENOENT') return `[Errno 2] No such file or directory: '${String(path)}'`;
  if (code === 'EACCES') return `[Errno 13] Permission denied: '${String(path)}'`;
  return error.message;
}
