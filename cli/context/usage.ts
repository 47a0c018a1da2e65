import { CliError } from './errors.ts';

const usage = `usage: hob [options] <command> <subcommand> [<subcommand> ...] [parameters]
To see help text, you can run:

  hob help
  hob <command> help
  hob <command> <subcommand> help
`;

/** The command line cannot be understood: what is wrong, then how it is used. */
export class UsageError extends CliError {
  /** The options that a call must have and this one has not. */
  readonly missing: readonly string[];

  constructor(problem: string, missing: readonly string[] = []) {
    super(252, `hob: [ERROR]: ${problem}\n\n${usage}`);
    this.name = 'UsageError';
    this.missing = missing;
  }
}

/** Unknown arguments. They come after the usage, where scripts for the AWS CLI expect them. */
export class UnknownOptions extends CliError {
  /** What could be meant, shown to people. */
  readonly hint: string | undefined;

  /** `options` are the names that would be known. */
  constructor(args: readonly string[], options: readonly string[]) {
    super(252, `${usage}\nUnknown options: ${args.join(', ')}\n`);
    this.name = 'UnknownOptions';
    const near = args
      .filter((argument) => argument.startsWith('--'))
      .flatMap((argument) => closeMatches(argument.slice(2), options).slice(0, 1));
    this.hint =
      near.length === 0
        ? undefined
        : `Did you mean ${near.map((name) => `--${name}`).join(' and ')}?`;
  }
}

/**
 * Up to three candidates most like the text, best first. The measure is that of the AWS CLI (Ratcliff and Obershelp:
 * twice the letters in common blocks, by all letters), so that both suggest the same.
 */
export function closeMatches(name: string, candidates: readonly string[]): string[] {
  return candidates
    .map((candidate) => ({ candidate, likeness: likeness(candidate, name.slice(0, lengthMax)) }))
    .filter((one) => one.likeness >= likenessMin)
    .toSorted(
      (one, other) => other.likeness - one.likeness || (one.candidate < other.candidate ? 1 : -1),
    )
    .slice(0, 3)
    .map((one) => one.candidate);
}

/** Likeness of two words, from 0 to 1, from which one is offered for the other. */
const likenessMin = 0.8;

/** Length of a word that similar ones are looked for; of a longer one, its beginning counts. */
const lengthMax = 200;

function likeness(one: string, other: string): number {
  const letters = one.length + other.length;
  return letters === 0 ? 1 : (2 * commonLetters(one, other)) / letters;
}

/** The longest common block, and the same to its left and right. */
function commonLetters(one: string, other: string): number {
  const block = longestBlock(one, other);
  if (block.length === 0) return 0;
  return (
    block.length +
    commonLetters(one.slice(0, block.one), other.slice(0, block.other)) +
    commonLetters(one.slice(block.one + block.length), other.slice(block.other + block.length))
  );
}

interface Block {
  readonly one: number;
  readonly other: number;
  readonly length: number;
}

function longestBlock(one: string, other: string): Block {
  let best: Block = { one: 0, other: 0, length: 0 };
  let before = new Map<number, number>();
  for (let row = 0; row < one.length; row += 1) {
    const lengths = new Map<number, number>();
    for (let column = 0; column < other.length; column += 1) {
      if (one[row] !== other[column]) continue;
      const length = (before.get(column - 1) ?? 0) + 1;
      lengths.set(column, length);
      if (length > best.length)
        best = { one: row - length + 1, other: column - length + 1, length };
    }
    before = lengths;
  }
  return best;
}
