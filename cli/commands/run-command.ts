import { parseWords } from '../input/argument-parser.ts';
import type { Globals } from '../input/globals.ts';
import { loadOperation, operationWords } from '../operations/operations.ts';
import { UsageError } from '../context/usage.ts';
import type { CliContext } from '../context/cli-context.ts';
import { runOperation } from './run-operation.ts';

/** A command that is no operation of the service. */
export type Command = (
  words: readonly string[],
  globals: Globals,
  world: CliContext,
) => Promise<number>;

const own: Readonly<Record<string, () => Promise<Command>>> = {
  wait: async () => (await import('./wait.ts')).runWait,
  logs: async () => (await import('./logs.ts')).runLogs,
  diff: async () => (await import('./diff.ts')).runDiff,
  configure: async () => (await import('./configure.ts')).runConfigure,
  completion: async () => (await import('./completion.ts')).runCompletion,
  help: async () => {
    const { printClientHelp } = await import('../help/print-help.ts');
    return (_words, globals, world) => printClientHelp(globals, world);
  },
};

/** What follows the service's word: an operation of the contract, or a command of the client's own. */
export async function runCommand(
  words: readonly string[],
  globals: Globals,
  world: CliContext,
): Promise<number> {
  const choices = [...operationWords, ...Object.keys(own)];
  const parsed = parseWords(words, [], [{ name: 'operation', choices }]);
  const word = parsed.positionals.get('operation');
  if (word === undefined) {
    if (!words.includes('--help'))
      throw new UsageError('the following arguments are required: operation');
    return (await import('../help/print-help.ts')).printClientHelp(globals, world);
  }
  const operation = await loadOperation(word);
  if (operation !== undefined)
    return runOperation({ word, operation }, parsed.rest, globals, world);
  const command = await own[word]?.();
  if (command === undefined) throw new UsageError(`there is no command ${word}`);
  return command(parsed.rest, globals, world);
}
