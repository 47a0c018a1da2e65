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

/** Words that belong to nothing. They stand after the usage, where scripts of the vendor's client look for them. */
export function unknownOptions(words: readonly string[]): ClientError {
  return new ClientError(252, `${usage}\nUnknown options: ${words.join(', ')}\n`);
}
