import type { NamedOperation } from '../operations/operations.ts';
import { CliError } from '../context/errors.ts';
import { globalOptions, type Globals } from '../input/globals.ts';
import {
  memberOptions,
  allOptions,
  type OperationArgs,
  parseOperationArgs,
} from '../input/operation-args.ts';
import { resolveProfile } from '../profile/resolve-profile.ts';
import { splitCommandLine } from '../programs/command-line.ts';
import type { UsageError } from '../context/usage.ts';
import type { CliContext } from '../context/cli-context.ts';
import { openPrompt, type Question } from './prompt.ts';

/**
 * If the user enables it, asks for the required options that are missing, offers more options, shows the whole command and
 * parses that. Where not, and without a terminal to ask on, what is missing stays an error.
 */
export async function parseWithPrompts(
  problem: UsageError,
  named: NamedOperation,
  args: readonly string[],
  globals: Globals,
  context: CliContext,
): Promise<OperationArgs> {
  const { operation, command } = named;
  const mode = globals.autoPrompt ?? configuredMode(globals, context);
  if (mode !== 'on' && mode !== 'on-partial') throw problem;
  if (!context.isTerminal.stdin) {
    context.stderr.write('Warning: Input is not a terminal (fd=0).\n');
    throw problem;
  }
  const answers = await promptForOptions(named, problem.missing, mode, context);
  const whole = [...args, ...answers];
  context.stderr.write(`hob functions ${[command, ...whole].map(quotedWord).join(' ')}\n`);
  return parseOperationArgs(operation, whole, globals.paginate);
}

function configuredMode(globals: Globals, context: CliContext): string {
  try {
    return resolveProfile(globals, context).autoPrompt;
  } catch (error) {
    // An invalid profile is reported once the command is valid.
    if (error instanceof CliError) return 'off';
    throw error;
  }
}

async function promptForOptions(
  named: NamedOperation,
  missing: readonly string[],
  mode: 'on' | 'on-partial',
  context: CliContext,
): Promise<string[]> {
  const prompt = openPrompt(context);
  try {
    const args: string[] = [];
    for (const name of missing) args.push(`--${name}`, await prompt.ask(questionFor(named, name)));
    const more = mode === 'on' ? await prompt.ask(moreOptions(named)) : '';
    return [...args, ...splitCommandLine(more)];
  } finally {
    prompt.close();
  }
}

function questionFor({ operation }: NamedOperation, name: string): Question {
  const option = memberOptions(operation).find((candidate) => candidate.name === name);
  const shape = option?.declaration.shape;
  const candidates = shape?.type === 'string' ? (shape.values ?? shape.known ?? []) : [];
  return { question: `--${name} (${option?.declaration.description ?? ''}): `, candidates };
}

function moreOptions({ operation }: NamedOperation): Question {
  return {
    question: 'More options (Tab lists them, Enter runs the command): ',
    candidates: [...allOptions(operation, true), ...globalOptions].map(({ name }) => `--${name}`),
  };
}

/** So that the line shown can be typed into a shell. */
function quotedWord(command: string): string {
  return /^[\w@%+=:,./-]+$/.test(command)
    ? command
    : `'${command.replaceAll("'", String.raw`'\''`)}'`;
}
