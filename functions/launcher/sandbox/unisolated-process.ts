/** A program on a host that allows no namespaces: runs as the sandbox's own user if possible, else as the server's user. */

import type { Program, Mount } from '../launcher.ts';
import { asUserCommand } from '../process/users.ts';
import { becomeProgram, shellQuoted } from '../process/shell-quote.ts';
import type { IsolationBackend } from './isolation-backend.ts';
import type { SandboxResources } from './sandbox-resources.ts';

export function rewriteToHostPaths({ mounts, storage }: SandboxResources): RewritePath {
  return pathRewriting([...mounts, { from: storage.path, to: '/tmp' }]);
}

export function bareCommand(
  { setpriv, group, tools }: IsolationBackend,
  { user }: SandboxResources,
  program: Program,
): [string, ...string[]] {
  const shell: [string, ...string[]] = [tools.sh, '-s', '--', ...program.command];
  if (tools.setpriv === undefined) return shell;
  const args =
    setpriv === undefined || user === undefined ? ['--no-new-privs'] : asUserCommand(user, group);
  return [tools.setpriv, '--pdeathsig', 'KILL', ...args, '--', ...shell];
}

/** Read from standard input by a shell that already runs as the sandbox's user. */
export function bareScript(sandbox: SandboxResources, program: Program): string {
  const rewrite = rewriteToHostPaths(sandbox);
  const environment = Object.entries(program.environment).map(
    ([name, value]) => [name, rewrite(value)] as const,
  );
  return [
    `cd ${shellQuoted(rewrite(program.directory))} || exit 1`,
    ...becomeProgram({ TMPDIR: sandbox.storage.path, ...Object.fromEntries(environment) }),
  ].join('\n');
}

type RewritePath = (text: string) => string;

/** Without a mount namespace, programs get the host's paths instead of those that the sandbox would show. */
function pathRewriting(mounts: readonly Pick<Mount, 'from' | 'to'>[]): RewritePath {
  const longestFirst = mounts.toSorted((a, b) => b.to.length - a.to.length);
  const alternatives = longestFirst.map(({ to }) => RegExp.escape(to)).join('|');
  if (alternatives === '') return (text) => text;
  // A whole path or the beginning of one, alone, in a list, or after an equals sign.
  const pattern = new RegExp(`(?<=^|[:=,\\s])(${alternatives})(?=$|[/:,\\s])`, 'g');
  return (text) =>
    text.replace(pattern, (path) => mounts.find(({ to }) => to === path)?.from ?? path);
}
