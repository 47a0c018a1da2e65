import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface RealGitResult {
  readonly status: number;
  readonly output: Buffer;
  readonly errors: string;
}

/** The environment of a person with a name and no configuration. */
const person = {
  PATH: process.env['PATH'] ?? '/usr/bin:/bin',
  HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Ann Author',
  GIT_AUTHOR_EMAIL: 'ann@example.com',
  GIT_AUTHOR_DATE: '1700000000 +0100',
  GIT_COMMITTER_NAME: 'Cora Committer',
  GIT_COMMITTER_EMAIL: 'cora@example.com',
  GIT_COMMITTER_DATE: '1700000100 -0330',
};

/** Runs the real `git` as a person would, and returns how it ended. */
export function tryGit(
  directory: string,
  parts: readonly string[],
  more: { input?: string | Buffer; environment?: Record<string, string> } = {},
): Promise<RealGitResult> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', ['-c', 'init.defaultBranch=main', ...parts], {
      cwd: directory,
      env: { ...person, ...more.environment },
    });
    const output: Buffer[] = [];
    const errors: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
    child.stdin.on('error', () => {});
    child.stdin.end(more.input);
    child.on('error', reject);
    child.on('close', (status) =>
      resolve({
        status: status ?? -1,
        output: Buffer.concat(output),
        errors: Buffer.concat(errors).toString(),
      }),
    );
  });
}

/** Runs the real `git`, which must succeed, and gives its output. */
export async function realGit(
  directory: string,
  parts: readonly string[],
  more: { input?: string | Buffer; environment?: Record<string, string> } = {},
): Promise<Buffer> {
  const result = await tryGit(directory, parts, more);
  if (result.status !== 0) {
    throw new Error(`git ${parts.join(' ')} ended with ${result.status}: ${result.errors}`);
  }
  return result.output;
}

/** The one line that a command prints. */
export async function gitLine(directory: string, ...parts: string[]): Promise<string> {
  return (await realGit(directory, parts)).toString().trim();
}

export interface TemporaryFolder {
  readonly path: string;
  remove(): Promise<void>;
}

export async function temporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), 'hob-git-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
