import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

import { findHostTools, type ToolName } from '#functions/launcher/process/host-tools.ts';
import {
  dropMade,
  madeSchema,
  makeMigrated,
  testPostgresUrl,
} from '#platform/testing/test-postgres.ts';

import { endWithThisProcess } from './child-processes.ts';

/** A server as its operator runs it: a process of its own, on a data directory of its own. */
export interface RunningServer {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  readonly pid: number;
  readonly login: string;
  readonly password: string;
  readonly token: string;
  /** Everything it has printed. */
  output(): string;
  /** Runs `hob admin` on the same data; answers with what it prints. */
  admin(...args: readonly string[]): Promise<string>;
  /** Starts another command of `hob` with the same database; its data folder is among the arguments. */
  start(...args: readonly string[]): ChildProcess;
  /** Ends it as an operator does; resolves with its exit code. */
  stop(): Promise<number | null>;
  /** Ends it as a power cut does to a process. */
  kill(): Promise<void>;
}

export const rootFolder: string = join(import.meta.dirname, '..');

const run = promisify(execFile);

const adminLogin = 'root';
const adminPassword = 'a-known-password';
const adminToken = 'a-known-token-for-a-scenario';

export interface ServerOptions {
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Runs it as another user; for root. */
  readonly user?: number;
  /** Tools that it cannot use even if the host has them; for root, where mount namespaces are allowed. */
  readonly without?: readonly ToolName[];
  /** A folder whose volume is not mounted where it runs: it sees an empty one; for root, where mount namespaces are allowed. */
  readonly unmounted?: string;
  /** For Node itself. */
  readonly nodeFlags?: readonly string[];
  /** That of a server before, so that clients find this one. */
  readonly port?: number;
  /** Has the program; that of an earlier version, for example. */
  readonly programFolder?: string | undefined;
}

/** Starts `hob serve` on a free port and waits for the line that says it is ready. */
export async function startServer(
  dataFolder: string,
  options: ServerOptions = {},
): Promise<RunningServer> {
  const { flags = [], environment = {}, nodeFlags = [], port = 0 } = options;
  const { programFolder = rootFolder } = options;
  const program = join(programFolder, 'hob.ts');
  const database = { ...process.env, ...(await databaseOf(dataFolder)), ...environment };
  const serve = [program, 'serve', '--port', String(port), '--data', dataFolder, ...flags];
  const [file, ...childArgs] = commandOnHost([process.execPath, ...nodeFlags, ...serve], options);
  const child = spawn(file, childArgs, {
    cwd: programFolder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...database,
      HOB_ADMIN_LOGIN: adminLogin,
      HOB_ADMIN_PASSWORD: adminPassword,
      HOB_ADMIN_TOKEN: adminToken,
      // What a scenario does in a second, people do in an hour.
      HOB_ABUSE_LIMITS: 'off',
      ...environment,
    },
  });
  endWithThisProcess(child);
  const lines: string[] = [];
  child.stderr?.on('data', (chunk: Buffer) => lines.push(chunk.toString()));
  const url = await readyUrl(child, lines);
  return {
    url,
    pid: child.pid ?? 0,
    login: adminLogin,
    password: adminPassword,
    token: adminToken,
    output: () => lines.join('\n'),
    async admin(...args) {
      const command = [program, 'admin', ...args, '--data', dataFolder];
      return (await run(process.execPath, command, { env: database })).stdout;
    },
    start(...args) {
      const started = spawn(process.execPath, [program, ...args], { env: database });
      endWithThisProcess(started);
      return started;
    },
    stop: () => end(child, 'SIGTERM'),
    kill: async () => {
      await end(child, 'SIGKILL');
    },
  };
}

/** The command that runs another one as this user and without these tools, in the same process. */
export function commandOnHost(
  command: readonly [string, ...string[]],
  { user, without = [], unmounted }: Pick<ServerOptions, 'user' | 'without' | 'unmounted'>,
): [string, ...string[]] {
  const ids = `--reuid=${user} --regid=${user} --clear-groups`;
  const asUser = user === undefined ? '' : `setpriv ${ids} -- `;
  const tools = findHostTools();
  // In a mount namespace of its own, where nothing can be executed at the path of the tool.
  const hidden = [...new Set(without.flatMap((name) => tools[name] ?? []).map(realPath))];
  const lines = [
    ...hidden.map((path) => `mount --bind /dev/null ${path} &&`),
    ...(unmounted === undefined ? [] : [`mount -t tmpfs tmpfs ${unmounted} &&`]),
    `exec ${asUser}"$@"`,
  ];
  const shell = ['sh', '-c', lines.join(' '), 'sh'] as const;
  if (lines.length > 1) return ['unshare', '--mount', ...shell, ...command];
  return user === undefined ? [...command] : [...shell, ...command];
}

const realPath = (path: string): string => realpathSync(path);

/** The databases of data folders, where the suite runs on PostgreSQL. */
const databases = new Map<string, Promise<string>>();

/**
 * Where the suite runs on PostgreSQL, each data folder has a database of its own, and finds it again after a restart. The migrations have
 * run in it, as they have in the file that a new server copies where it uses SQLite.
 */
export function databaseOf(dataFolder: string): Promise<Record<string, string>> {
  return databaseMadeBy(dataFolder, makeMigrated);
}

/** The same, but nothing is in it. */
export function emptyDatabaseOf(dataFolder: string): Promise<Record<string, string>> {
  const name = createHash('sha256').update(dataFolder).digest('hex').slice(0, 16);
  return databaseMadeBy(dataFolder, (url) => madeSchema(url, `hob_scenario_${name}`));
}

async function databaseMadeBy(
  dataFolder: string,
  make: (url: string) => Promise<string>,
): Promise<Record<string, string>> {
  if (testPostgresUrl === undefined) return {};
  const made = databases.get(dataFolder) ?? make(testPostgresUrl);
  databases.set(dataFolder, made);
  return { DATABASE_URL: await made };
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

/** Removes the folder of a server that has ended, with its databases; the processes that it started end shortly after, and write until then. */
export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 30 });
  for (const [dataFolder, made] of databases) {
    if (testPostgresUrl === undefined || relative(folder, dataFolder).startsWith('..')) continue;
    databases.delete(dataFolder);
    await dropMade(testPostgresUrl, await made);
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
  return child.exitCode;
}
