import type { ReceiveOptions } from '../received-push.ts';
import { noObject } from '../names.ts';
import type { PushCommand } from '../format/push-commands.ts';
import { problemOfRefName } from '../commands/writable-refs.ts';

/** A refused ref, with the reason shown to the client. */
export interface PushRefusal {
  readonly command: PushCommand;
  readonly reason: string;
  /** Set if only git can decide: the ref may be fast-forwarded. */
  readonly unlessFastForward?: true;
}

/** Which commands no caller may have, whatever its permissions, and which this caller may not. */
export function refusePushCommands(
  commands: readonly PushCommand[],
  { refused, undeletable, fastForwardOnly, only }: RefusingOptions,
): PushRefusal[] {
  return commands.flatMap((command) => {
    const outside = only && !only.refs.includes(command.name) ? only.reason : undefined;
    const deleted = command.new === noObject ? undeletable?.get(command.name) : undefined;
    const reason = refusalOfName(command) ?? deleted ?? refused.get(command.name) ?? outside;
    if (reason !== undefined) return [{ command, reason }];
    const nonFastForward = fastForwardOnly?.get(command.name);
    if (nonFastForward === undefined || command.new === noObject) return [];
    return [{ command, reason: nonFastForward, unlessFastForward: true as const }];
  });
}

type RefusingOptions = Pick<ReceiveOptions, 'refused' | 'undeletable' | 'fastForwardOnly' | 'only'>;

function refusalOfName({ name, nameBytes }: PushCommand): string | undefined {
  if (!Buffer.from(name).equals(nameBytes)) return `${name} cannot be pushed: it is not UTF-8.`;
  const problem = problemOfRefName(name);
  return problem === undefined ? undefined : `${name} cannot be pushed: ${problem}.`;
}
