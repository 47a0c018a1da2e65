import { startChild } from '#platform/child-process.ts';

import { gitEnvironment, type GitTools } from './git-environment.ts';
import { GitError } from '../git-error.ts';
const oldestMajor = 2;
const oldestMinor = 38;

/** Looks for the tools; refuses a git that lacks `merge-tree --write-tree`. */
export async function findGitTools(): Promise<GitTools> {
  const [version, setpriv, prlimit, stdbuf] = await Promise.all([
    outputOf('git', ['--version']),
    outputOf('setpriv', ['--pdeathsig', 'KILL', '--', 'git', '--version']),
    outputOf('prlimit', ['--data=536870912', '--core=0', '--', 'git', '--version']),
    outputOf('stdbuf', ['-o0', 'git', '--version']),
  ]);
  requireVersion(version);
  return {
    version: version?.trim() ?? '',
    setpriv: setpriv !== undefined,
    prlimit: prlimit !== undefined,
    stdbuf: stdbuf !== undefined,
  };
}

/** Throws unless `git --version` printed 2.38 or newer. */
export function requireVersion(printed: string | undefined): void {
  const found = /(\d+)\.(\d+)/.exec(printed ?? '');
  const wanted = `git ${oldestMajor}.${oldestMinor} or newer is required`;
  if (!found)
    throw new GitError('failed', `${wanted}, but git was not found on this host. Install git.`);
  const major = Number(found[1]);
  const minor = Number(found[2]);
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  throw new GitError(
    'failed',
    `${wanted}, but this host has ${printed?.trim() ?? ''}. Upgrade git.`,
  );
}

/** What a probe printed, or undefined when it could not run or failed. */
async function outputOf(command: string, parts: readonly string[]): Promise<string | undefined> {
  const child = startChild({
    command,
    arguments: parts,
    environment: gitEnvironment({}),
    directory: '/',
  });
  child.stdin.end();
  child.stderr.resume();
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const end = await child.ended;
  return end.status === 0 ? text : undefined;
}
