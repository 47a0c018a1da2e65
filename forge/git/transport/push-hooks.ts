import { constants } from 'node:fs';
import { access, chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';

import { inBackground } from '#platform/in-background.ts';
import { systemRandom } from '#platform/random.ts';

import type { RepositoryPaths } from '../commands/repository-paths.ts';
import { isRefusedByGit } from '../commands/writable-refs.ts';
import type { MayMove } from '../received-push.ts';
import type { PushRefusal } from './push-refusals.ts';

/**
 * Refuses the given ref if the list contains it. git runs the hook when the objects are in the repository, so that the hook
 * can detect a fast-forward. It runs for each ref of a push, and the shell itself would read the list byte by byte; git is
 * what every host of Hob has to search it.
 */
const updateHook = `#!/bin/sh
found=$(git config --file - --default '' --get "refused.$1.reason" < "$HOB_REFUSALS") || exit 1
case $found in
  '') exit 0 ;;
  unless-fast-forward*)
    case $2 in *[!0]*) ;; *) exit 0 ;; esac
    if git merge-base --is-ancestor "$2" "$3"; then exit 0; fi ;;
esac
printf '%s\\n' "\${found#* }" >&2
exit 1
`;

/** A refusal in the list that the hook reads: a section of a configuration file of git (git-config(1)). */
function listEntry({ command, reason, unlessFastForward }: PushRefusal): Buffer {
  const when = unlessFastForward ? 'unless-fast-forward' : 'always';
  return Buffer.concat([
    Buffer.from('[refused "'),
    Buffer.from(escape(command.nameBytes.toString('latin1')), 'latin1'),
    Buffer.from(`"]\n\treason = "${when} ${escape(flatten(reason))}"\n`),
  ]);
}

function escape(text: string): string {
  return text.replaceAll(/["\\]/g, String.raw`\$&`);
}

/**
 * Asks over file descriptor 3 whether refs may move. git runs it once, when all objects have arrived and are checked, and
 * before it moves the first ref (githooks(5)). Without a response nothing moves.
 */
const preReceiveHook = `#!/bin/sh
[ "$HOB_ASK" = 1 ] || exit 0
printf '?' >&3 && IFS= read -r answer <&3 || exit 1
[ "$answer" = yes ] && exit 0
printf '%s\\n' "\${answer#no }" >&2
exit 1
`;

/** The folder with both hooks, and the one without `update`, which git would start for every ref. */
function hookFolders(paths: RepositoryPaths): { readonly both: string; readonly asking: string } {
  return { both: join(paths.hooks, 'both'), asking: join(paths.hooks, 'asking') };
}

/**
 * Installs git's hooks. They are outside of all repositories, and git uses them (`core.hooksPath`) only for pushes with
 * something to ask or to refuse.
 */
export async function installPushHooks(paths: RepositoryPaths): Promise<void> {
  const { both, asking } = hookFolders(paths);
  await installHook(both, 'update', updateHook);
  await installHook(both, 'pre-receive', preReceiveHook);
  await installHook(asking, 'pre-receive', preReceiveHook);
}

/** A file that cannot be run is an error now: git would silently skip it later. */
async function installHook(folder: string, name: string, script: string): Promise<void> {
  const file = join(folder, name);
  await mkdir(folder, { recursive: true });
  await writeFile(file, script);
  await chmod(file, 0o700);
  await access(file, constants.X_OK);
}

/** Answers the pre-receive hook at the other end of the socket. */
export function respondToHook(socket: Duplex, mayMove: MayMove): void {
  const respond = async (): Promise<void> => {
    const refusal = await mayMove();
    socket.end(refusal === undefined ? 'yes\n' : `no ${flatten(refusal)}\n`);
  };
  let wasAsked = false;
  // Read to its end, which git's own end waits for.
  socket.on('data', () => {
    if (wasAsked) return;
    wasAsked = true;
    inBackground(respond(), () => socket.destroy());
  });
}

export interface PushHooks {
  readonly settings: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

/** Writes the refusals to the file that the hook reads. A hook with nothing to do does not run. */
export async function prepareHooks(
  paths: RepositoryPaths,
  refusals: readonly PushRefusal[],
  wantsDecision: boolean,
): Promise<PushHooks> {
  const folders = hookFolders(paths);
  const asking: Record<string, string> = wantsDecision ? { HOB_ASK: '1' } : {};
  // git turns down the others by itself: those that are hidden, as a mirror of another server has by thousands, and names with a
  // control character (git-check-ref-format(1)), which no line of the list can hold.
  const listed = refusals.filter(
    ({ command: { name, nameBytes } }) => !isRefusedByGit(name) && !hasControlByte(nameBytes),
  );
  if (listed.length === 0) {
    const settings = wantsDecision ? [`core.hooksPath=${folders.asking}`] : [];
    return { settings, environment: asking, remove: async () => {} };
  }
  const file = join(paths.arriving, `refusals-${systemRandom.id()}`);
  await writeFile(file, Buffer.concat(listed.map(listEntry)));
  return {
    settings: [`core.hooksPath=${folders.both}`],
    environment: { ...asking, HOB_REFUSALS: file },
    remove: () => rm(file, { force: true }),
  };
}

function hasControlByte(bytes: Buffer): boolean {
  return bytes.some((byte) => byte < 0x20 || byte === 0x7f);
}

/** One line, without line breaks and terminal control characters. */
function flatten(reason: string): string {
  return reason.replaceAll(/\p{Cc}/gu, ' ');
}
