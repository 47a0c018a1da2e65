import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';

import { endWithThisProcess } from '../scenarios/child-processes.ts';
import { has } from './host.ts';
import { elapsed } from './server-under-test.ts';

const program = 'redis-server';

export function missingForRedis(): string | undefined {
  return has(program) ? undefined : `needs ${program}`;
}

/** Starts it empty on loopback, and waits until it answers. */
export async function startRedis(port: number): Promise<ChildProcess> {
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const child = spawn(program, args, { stdio: 'ignore' });
  endWithThisProcess(child);
  const started = await elapsed(async () => (await keysIn(port)) >= 0, 30);
  if (!Number.isFinite(started)) throw new Error(`${program} did not start.`);
  return child;
}

/** DBSIZE in the form that needs no lengths (Redis protocol specification, inline commands). */
export async function keysIn(port: number): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  try {
    socket.write('DBSIZE\r\n');
    const [reply] = await once(socket, 'data');
    return Number(String(reply).replace(/^:/, ''));
  } finally {
    socket.destroy();
  }
}
