import { parseArgs } from '../input/argument-parser.ts';
import { globalOptions } from '../input/global-options.ts';
import type { Globals } from '../input/globals.ts';
import { allOptions } from '../input/operation-args.ts';
import { loadOperation, operationCommands } from '../operations/operations.ts';
import { UnknownOptions, UsageError } from '../context/usage.ts';
import type { CliContext } from '../context/cli-context.ts';
import { type CompletionTable, shells } from './completion-scripts.ts';
import { waiters } from '../operations/waiters.ts';

/** `completion SHELL`: a script for the shell to read at its start. */
export async function runCompletion(
  args: readonly string[],
  _globals: Globals,
  context: CliContext,
): Promise<number> {
  const parsed = parseArgs(args, [], [{ name: 'shell', choices: Object.keys(shells) }]);
  const script = shells[parsed.positionals.get('shell') ?? ''];
  if (script === undefined) throw new UsageError('the following arguments are required: shell');
  if (parsed.rest.length > 0) throw new UnknownOptions(parsed.rest, []);
  context.stdout.write(script(await completionTable()));
  return 0;
}

/** Written out once: a shell that asked the client at each key would wait for it. */
async function completionTable(): Promise<CompletionTable> {
  const commands: Record<string, readonly string[]> = {};
  for (const command of operationCommands) {
    const operation = await loadOperation(command);
    if (operation !== undefined)
      commands[command] = allOptions(operation, true).map(({ name }) => `--${name}`);
  }
  const update = commands['update-function-configuration'] ?? [];
  return {
    commands: {
      ...commands,
      completion: Object.keys(shells),
      configure: [],
      diff: update,
      logs: [...(commands['get-function-logs'] ?? []), '--follow'],
      wait: [...Object.keys(waiters), '--function-name', '--qualifier'],
    },
    globals: globalOptions.map(({ name }) => `--${name}`),
    values: Object.fromEntries(
      globalOptions.flatMap(({ name, choices }) =>
        choices === undefined ? [] : [[`--${name}`, choices] as const],
      ),
    ),
  };
}
