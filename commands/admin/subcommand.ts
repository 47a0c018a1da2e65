import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';

import type { CommandPorts } from './administration.ts';

/** The output of a subcommand: a value for scripts, lines for people. */
export interface Result {
  readonly json: unknown;
  readonly lines: readonly string[];
}

/** One administration subcommand, as data and a function. */
export interface Subcommand {
  readonly name: string;
  /** Names of what is given by position, all of them needed. */
  readonly positionals: readonly string[];
  /** Flags of its own, without dashes; those of the settings come by themselves. */
  readonly options: ParseArgsOptionsConfig;
  /** The flags as usage shows them. */
  readonly usage: string;
  readonly description: string;
  run(ports: CommandPorts, given: ParsedArgs): Promise<Result>;
}

/** What the person has typed. */
export interface ParsedArgs {
  positional(name: string): string;
  option(name: string): string | undefined;
  flag(name: string): boolean;
  /** The first line of standard input. */
  line(): Promise<string>;
}

export type ReadArgs =
  | {
      readonly kind: 'given';
      readonly args: ParsedArgs;
      readonly rest: readonly string[];
      readonly json: boolean;
    }
  | { readonly kind: 'problem'; readonly problem: string };

/** Splits the arguments of a subcommand into its own and settings. */
export function readArgs(
  subcommand: Subcommand,
  args: readonly string[],
  settings: readonly string[],
  input: AsyncIterable<string | Uint8Array> = process.stdin,
): ReadArgs {
  const options: ParseArgsOptionsConfig = {
    ...subcommand.options,
    json: { type: 'boolean' },
    ...Object.fromEntries(settings.map((flag) => [flag, { type: 'string' as const }])),
  };
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options,
      allowPositionals: true,
    });
    const missing = subcommand.positionals[positionals.length];
    if (missing !== undefined) return { kind: 'problem', problem: `${missing} is missing.` };
    const extra = positionals[subcommand.positionals.length];
    if (extra !== undefined) return { kind: 'problem', problem: `Unexpected argument "${extra}".` };
    const given: ParsedArgs = {
      positional: (name) => positionals[subcommand.positionals.indexOf(name)] ?? '',
      option: (name) => (typeof values[name] === 'string' ? values[name] : undefined),
      flag: (name) => values[name] === true,
      line: () => firstLine(input),
    };
    const rest = settings.flatMap((flag) => {
      const value = values[flag];
      return typeof value === 'string' ? [`--${flag}=${value}`] : [];
    });
    return { kind: 'given', args: given, rest, json: values['json'] === true };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { kind: 'problem', problem: error.message };
  }
}

/**
 * Line that a running server sends to an administration command. Much longer than any that a command takes: what is longer is
 * no line.
 */
const lineBytesMax = 64 * 1024;

async function firstLine(input: AsyncIterable<string | Uint8Array>): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of input) {
    const bytes = Buffer.from(piece);
    pieces.push(bytes);
    length += bytes.length;
    if (length > lineBytesMax || bytes.includes('\n')) break;
  }
  const [line = ''] = Buffer.concat(pieces).toString().split(/\r?\n/, 1);
  return line;
}
