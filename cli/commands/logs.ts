import { getFunctionLogs } from '#functions-contract/operations/logs.ts';

import { readLogPage } from '../calls/log-page.ts';
import { openSession } from '../calls/session.ts';
import { type Option, parseArgs } from '../input/argument-parser.ts';
import type { Globals } from '../input/globals.ts';
import { inputMap } from '../validation/input-value.ts';
import { parseOperationArgs } from '../input/operation-args.ts';
import { readInput } from '../input/read-input.ts';
import { visibleControls } from '#platform/visible-controls.ts';
import type { CliContext } from '../context/cli-context.ts';

const follow: Option = { name: 'follow', arity: 'none', unabbreviated: true };

/**
 * Time that `logs` waits before its second look. The service holds back the newest lines briefly, in case an earlier one is
 * still being written.
 */
const settlingMilliseconds = 300;
/** Time between two looks of `logs --follow`. */
const followingMilliseconds = 1000;

/** `logs`: the lines of a function's log as they were written; with `--follow` also those to come, until Ctrl-C. */
export async function runLogs(
  args: readonly string[],
  globals: Globals,
  context: CliContext,
): Promise<number> {
  const operation = getFunctionLogs;
  if (args.includes('--help') || args[0] === 'help')
    return (await import('../help/print-help.ts')).printOperationHelp(
      { command: 'logs [--follow]', operation },
      globals,
      context,
    );
  const { given, rest } = parseArgs(args, [follow]);
  const parsed = parseOperationArgs(operation, rest, globals.paginate);
  const session = await openSession(operation.name, globals, context);
  let input = await readInput(operation, parsed, session.profile.binaryFormat, context);
  for (let waited = false; ;) {
    const { messages, next } = await readLogPage(input, session);
    for (const message of messages) context.stdout.write(line(message, context));
    if (next !== undefined) input = inputMap([...Object.entries(input), ['Marker', next]]);
    if (messages.length > 0) continue;
    if (waited && !given.has('follow')) return 0;
    await context.pause(waited ? followingMilliseconds : settlingMilliseconds);
    waited = true;
  }
}

function line(message: string, { isTerminal }: CliContext): string {
  const text = isTerminal.stdout ? visibleControls(message) : message;
  return text.endsWith('\n') ? text : `${text}\n`;
}
