import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** git as its user has it, without the configuration of the machine the scenario runs on. */
export async function git(folder: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run('git', args, {
    cwd: folder,
    maxBuffer: 64 * 1024 * 1024,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      GIT_AUTHOR_NAME: 'Scenario',
      GIT_AUTHOR_EMAIL: 'scenario@example.test',
      GIT_COMMITTER_NAME: 'Scenario',
      GIT_COMMITTER_EMAIL: 'scenario@example.test',
    },
  });
  return stdout.trim();
}

/** `http://login:token@host/owner/name.git`. */
export function remoteUrl(server: string, login: string, token: string, fullName: string): string {
  const url = new URL(`${server}/${fullName}.git`);
  url.username = login;
  url.password = token;
  return url.href;
}
