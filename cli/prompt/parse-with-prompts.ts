import type { NamedOperation } from '../commands/run-operation.ts';
import { globalOptions } from '../input/global-options.ts';
import type { Globals } from '../input/globals.ts';
import { memberOptions } from '../input/operation-options.ts';
import { allOptions, type OperationWords, parseOperationWords } from '../input/operation-words.ts';
import { shellWords } from '../programs/shell-words.ts';
import { UsageError } from '../usage.ts';
import type { World } from '../world.ts';
import { openDialog, type Question } from './dialog.ts';

/**
 * Parses the words; required options that are missing are asked for, then more options are offered, and the whole command is
 * shown before it runs. Without a terminal to ask on, what is missing stays an error.
 */
export async function parseWithPrompts(
  named: NamedOperation,
  words: readonly string[],
  globals: Globals,
  mode: 'on' | 'on-partial',
  world: World,
): Promise<OperationWords> {
  const { operation, word } = named;
  try {
    return parseOperationWords(operation, words, globals.paginate);
  } catch (error) {
    if (!(error instanceof UsageError) || error.missing.length === 0) throw error;
    if (!world.isTerminal.stdin) {
      world.stderr.write('Warning: Input is not a terminal (fd=0).\n');
      throw error;
    }
    const answers = await asked(named, error.missing, mode, world);
    const whole = [...words, ...answers];
    world.stderr.write(`hob functions ${[word, ...whole].map(quotedWord).join(' ')}\n`);
    return parseOperationWords(operation, whole, globals.paginate);
  }
}

async function asked(
  named: NamedOperation,
  missing: readonly string[],
  mode: 'on' | 'on-partial',
  world: World,
): Promise<string[]> {
  const dialog = openDialog(world);
  try {
    const words: string[] = [];
    for (const name of missing) words.push(`--${name}`, await dialog.ask(questionFor(named, name)));
    const more = mode === 'on' ? await dialog.ask(moreOptions(named)) : '';
    return [...words, ...shellWords(more)];
  } finally {
    dialog.close();
  }
}

function questionFor({ operation }: NamedOperation, name: string): Question {
  const option = memberOptions(operation).find((candidate) => candidate.name === name);
  const shape = option?.declaration.shape;
  const candidates = shape?.type === 'string' ? (shape.values ?? shape.known ?? []) : [];
  return { question: `--${name} (${option?.declaration.about ?? ''}): `, candidates };
}

function moreOptions({ operation }: NamedOperation): Question {
  return {
    question: 'More options (Tab lists them, Enter runs the command): ',
    candidates: [...allOptions(operation, true), ...globalOptions].map(({ name }) => `--${name}`),
  };
}

/** So that the line shown can be typed into a shell. */
function quotedWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
