import { parseArgs } from '../input/argument-parser.ts';
import type { GlobalArgs, Globals } from '../input/globals.ts';
import { loadOperation, operationCommands } from '../operations/operations.ts';
import { UsageError } from '../context/usage.ts';
import type { CliContext } from '../context/cli-context.ts';
import { runOperation } from './run-operation.ts';

/** A command that is no operation of the service. */
export type Command = (
  args: readonly string[],
  globals: Globals,
  context: CliContext,
) => Promise<number>;

const own: Readonly<Record<string, () => Promise<Command>>> = {
  wait: async () => (await import('./wait.ts')).runWait,
  logs: async () => (await import('./logs.ts')).runLogs,
  deploy: async () => (await import('./deploy.ts')).runDeploy,
  diff: async () => (await import('./diff.ts')).runDiff,
  configure: async () => (await import('./configure.ts')).runConfigure,
  completion: async () => (await import('./completion.ts')).runCompletion,
  help: async () => {
    const { printClientHelp } = await import('../help/print-help.ts');
    return (_args, globals, context) => printClientHelp(globals, context);
  },
};

/** The command that the first argument names. */
export async function runTopCommand(
  { command, globals, rest }: Extract<GlobalArgs, { kind: 'command' }>,
  context: CliContext,
): Promise<number> {
  switch (command) {
    case 'functions':
    case 'lambda':
      return runCommand(rest, globals, context);
    case 'configure':
      return (await import('./configure.ts')).runConfigure(rest, globals, context);
    case 'completion':
      return (await import('./completion.ts')).runCompletion(rest, globals, context);
    case 'help':
      return (await import('../help/print-help.ts')).printClientHelp(globals, context);
  }
}

/** What follows the name of the service: an operation of the contract, or a command of the client's own. */
async function runCommand(
  args: readonly string[],
  globals: Globals,
  context: CliContext,
): Promise<number> {
  const choices = [...operationCommands, ...Object.keys(own)];
  const parsed = parseArgs(args, [], [{ name: 'operation', choices }]);
  const name = parsed.positionals.get('operation');
  if (name === undefined) {
    if (!args.includes('--help'))
      throw new UsageError('the following arguments are required: operation');
    return (await import('../help/print-help.ts')).printClientHelp(globals, context);
  }
  const operation = await loadOperation(name);
  if (operation !== undefined)
    return runOperation({ command: name, operation }, parsed.rest, globals, context);
  const command = await own[name]?.();
  if (command === undefined) throw new UsageError(`there is no command ${name}`);
  return command(parsed.rest, globals, context);
}
