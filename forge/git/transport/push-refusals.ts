import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';

import { systemRandom } from '#platform/random.ts';

import type { ReceiveOptions } from '../received-push.ts';
import { noObject } from '../names.ts';
import type { PushCommand } from '../format/push-commands.ts';
import type { RepositoryPaths } from '../commands/repository-paths.ts';
import { problemOfRefName } from '../commands/writable-refs.ts';

/** A ref that is turned down, and the sentence that says why. */
export interface PushRefusal {
  readonly command: PushCommand;
  readonly reason: string;
  /** Set when only git can tell whether it is: the ref may move to where its history goes on. */
  readonly unlessOnward?: true;
}

/** Which commands no caller may have, whatever its permissions, and which this caller may not. */
export function refusePushCommands(
  commands: readonly PushCommand[],
  { refused, undeletable, onwardOnly, only }: RefusingOptions,
): PushRefusal[] {
  return commands.flatMap((command) => {
    const outside = only && !only.refs.includes(command.name) ? only.reason : undefined;
    const deleted = command.new === noObject ? undeletable?.get(command.name) : undefined;
    const reason = refusalOfName(command) ?? deleted ?? refused.get(command.name) ?? outside;
    if (reason !== undefined) return [{ command, reason }];
    const rewound = onwardOnly?.get(command.name);
    if (rewound === undefined || command.new === noObject) return [];
    return [{ command, reason: rewound, unlessOnward: true as const }];
  });
}

type RefusingOptions = Pick<ReceiveOptions, 'refused' | 'undeletable' | 'onwardOnly' | 'only'>;

function refusalOfName({ name, nameBytes }: PushCommand): string | undefined {
  if (!Buffer.from(name).equals(nameBytes)) return `${name} cannot be pushed: it is not UTF-8.`;
  const problem = problemOfRefName(name);
  return problem === undefined ? undefined : `${name} cannot be pushed: ${problem}.`;
}

/**
 * Turns down the one ref that it is asked about, when the list names it: `<ref> TAB <when> TAB
 * <reason>` on each line. Git asks when the objects are in the repository, so that it can tell
 * whether the history goes on.
 */
const hook = `#!/bin/sh
while IFS='	' read -r ref when reason; do
  if [ "$ref" = "$1" ]; then
    if [ "$when" = unless-onward ]; then
      case $2 in *[!0]*) ;; *) exit 0 ;; esac
      if git merge-base --is-ancestor "$2" "$3"; then exit 0; fi
    fi
    printf '%s\\n' "$reason" >&2
    exit 1
  fi
done <"$HOB_REFUSALS" || exit 1
exit 0
`;

/**
 * Puts git's `update` hook in place. It is outside of all repositories, and git is pointed at it
 * only while there is something to refuse. A file that cannot be run is an error now: git would
 * silently skip it later.
 */
export async function installUpdateHook(paths: RepositoryPaths): Promise<void> {
  const file = join(paths.hooks, 'update');
  await mkdir(paths.hooks, { recursive: true });
  await writeFile(file, hook);
  await chmod(file, 0o700);
  await access(file, constants.X_OK);
}

export interface RefusalList {
  readonly settings: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

/** Writes the refusals where the hook finds them. Without refusals no hook runs. */
export async function writeRefusals(
  paths: RepositoryPaths,
  refusals: readonly PushRefusal[],
): Promise<RefusalList> {
  if (refusals.length === 0) return { settings: [], environment: {}, remove: async () => {} };
  const file = join(paths.arriving, `refusals-${systemRandom.id()}`);
  // A name with a control character would write lines of its own; git turns it down before the hook (git-check-ref-format(1)).
  const listed = refusals.filter(({ command }) => !hasControlByte(command.nameBytes));
  const lines = listed.flatMap(({ command, reason, unlessOnward }) => [
    command.nameBytes,
    Buffer.from(`\t${unlessOnward ? 'unless-onward' : 'always'}\t${flatten(reason)}\n`),
  ]);
  await writeFile(file, Buffer.concat(lines));
  return {
    settings: [`core.hooksPath=${paths.hooks}`],
    environment: { HOB_REFUSALS: file },
    remove: () => rm(file, { force: true }),
  };
}

function hasControlByte(bytes: Buffer): boolean {
  return bytes.some((byte) => byte < 0x20 || byte === 0x7f);
}

/** One line, without characters that would end it or play with a terminal. */
function flatten(reason: string): string {
  return reason.replaceAll(/\p{Cc}/gu, ' ');
}
