import { closeMatches } from './close-matches.ts';
import { ClientError } from './errors.ts';

const usage = `usage: hob [options] <command> <subcommand> [<subcommand> ...] [parameters]
To see help text, you can run:

  hob help
  hob <command> help
  hob <command> <subcommand> help
`;

/** The command line cannot be understood: what is wrong, then how it is used. */
export class UsageError extends ClientError {
  /** The options that a call must have and this one has not. */
  readonly missing: readonly string[];

  constructor(problem: string, missing: readonly string[] = []) {
    super(252, `hob: [ERROR]: ${problem}\n\n${usage}`);
    this.name = 'UsageError';
    this.missing = missing;
  }
}

/** Unknown arguments. They come after the usage, where scripts for the AWS CLI expect them. */
export class UnknownOptions extends ClientError {
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
