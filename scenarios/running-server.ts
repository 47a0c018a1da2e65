import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A server as its operator runs it: a process of its own, on a data directory of its own. */
export interface RunningServer {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  readonly pid: number;
  readonly login: string;
  readonly token: string;
  /** Everything it has printed. */
  output(): string;
  /** Ends it as an operator does; resolves with its exit code. */
  stop(): Promise<number | null>;
  /** Ends it as a power cut does to a process. */
  kill(): Promise<void>;
}

export const rootFolder: string = join(import.meta.dirname, '..');

const adminLogin = 'root';
const adminToken = 'a-known-token-for-a-scenario';

/** Starts `hob serve` on a free port and waits for the line that says it is ready. */
export async function startServer(
  dataFolder: string,
  options: { flags?: readonly string[]; environment?: Record<string, string> } = {},
): Promise<RunningServer> {
  const child = spawn(
    process.execPath,
    [
      join(rootFolder, 'hob.ts'),
      'serve',
      '--port',
      '0',
      '--data',
      dataFolder,
      ...(options.flags ?? []),
    ],
    {
      cwd: rootFolder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        HOB_ADMIN_LOGIN: adminLogin,
        HOB_ADMIN_PASSWORD: 'a-known-password',
        HOB_ADMIN_TOKEN: adminToken,
        // What a scenario does in a second, people do in an hour.
        HOB_ABUSE_LIMITS: 'off',
        ...options.environment,
      },
    },
  );
  const lines: string[] = [];
  child.stderr?.on('data', (chunk: Buffer) => lines.push(chunk.toString()));
  const url = await readyUrl(child, lines);
  return {
    url,
    pid: child.pid ?? 0,
    login: adminLogin,
    token: adminToken,
    output: () => lines.join('\n'),
    stop: () => end(child, 'SIGTERM'),
    kill: async () => {
      await end(child, 'SIGKILL');
    },
  };
}

async function readyUrl(child: ChildProcess, lines: string[]): Promise<string> {
  if (!child.stdout) throw new Error('the server has no standard output');
  const reader = createInterface({ input: child.stdout });
  return new Promise((resolve, reject) => {
    reader.on('line', (line) => {
      lines.push(line);
      const url = /(https?:\/\/[^\s/]+)/.exec(line)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.once('exit', (code) => {
      reject(new Error(`the server ended with ${code} before it was ready:\n${lines.join('\n')}`));
    });
  });
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
  return child.exitCode;
}
