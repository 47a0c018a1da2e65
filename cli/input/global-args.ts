import { UsageError } from '../context/usage.ts';
import { parseArgs } from './argument-parser.ts';
import { globalOptions } from './global-options.ts';
import { type Globals, readGlobals } from './globals.ts';

export type TopCommand = (typeof topCommands)[number];

const topCommands = ['functions', 'lambda', 'configure', 'completion', 'help'] as const;

export type GlobalArgs =
  | { readonly kind: 'version' }
  | {
      readonly kind: 'command';
      readonly command: TopCommand;
      readonly globals: Globals;
      /** What is neither the command nor a global option. */
      readonly rest: readonly string[];
    };

/** Takes the global options, which stand anywhere, and the command from the arguments. */
export function parseGlobalArgs(args: readonly string[]): GlobalArgs {
  const parsed = parseArgs(args, globalOptions, [{ name: 'command', choices: topCommands }]);
  if (parsed.given.has('version')) return { kind: 'version' };
  const globals = readGlobals(parsed.given);
  const name = parsed.positionals.get('command');
  const help = parsed.rest.includes('--help') ? 'help' : undefined;
  const command = topCommands.find((candidate) => candidate === (name ?? help));
  if (command === undefined) throw new UsageError('the following arguments are required: command');
  return { kind: 'command', command, globals, rest: parsed.rest };
}
