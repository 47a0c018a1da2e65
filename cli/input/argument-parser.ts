import { CliError } from '../context/errors.ts';
import { closeMatches, UsageError } from '../context/usage.ts';
import { Float, exactInteger } from '../validation/input-value.ts';
import { pythonRepr } from '../validation/printed-value.ts';

/** An option of the command line. */
export interface Option {
  /** Without the two hyphens. */
  readonly name: string;
  /** How many values it takes: none, one, one that may be missing, or as many as follow. */
  readonly arity: 'none' | 'one' | 'optional' | 'variadic';
  /** The value of an option without arguments, and of an `optional` one whose argument is missing. */
  readonly constant?: string | boolean;
  /** Whose value it is; options share one when they contradict each other. */
  readonly key?: string;
  readonly choices?: readonly string[];
  /** Repetitions add values instead of replacing them. */
  readonly collects?: true;
  /** Cannot be abbreviated: options that the AWS CLI lacks must not make its abbreviations ambiguous. */
  readonly unabbreviated?: true;
}

export type OptionValue = string | boolean | readonly string[];

interface ParsedArgs {
  /** By key, the last repetition. */
  readonly given: ReadonlyMap<string, OptionValue>;
  readonly positionals: ReadonlyMap<string, string>;
  /** What belongs to none, in its order. */
  readonly rest: readonly string[];
}

interface Positional {
  readonly name: string;
  readonly choices?: readonly string[];
}

/**
 * Reads the given options and positionals and leaves the rest, by the rules of the AWS CLI: options stand
 * anywhere, as `--opt value`, `--opt=value` or a unique beginning of their name.
 */
export function parseArgs(
  args: readonly string[],
  options: readonly Option[],
  positionals: readonly Positional[] = [],
): ParsedArgs {
  const given = new Map<string, OptionValue>();
  const found = new Map<string, string>();
  const rest: string[] = [];
  const kinds = classified(args, options);
  for (let index = 0; index < args.length;) {
    const kind = kinds[index];
    const argument = args[index] ?? '';
    index += 1;
    if (kind === undefined || kind.is === 'unknown' || kind.is === 'separator') {
      rest.push(argument);
    } else if (kind.is === 'argument') {
      const positional = positionals[found.size];
      if (positional === undefined) rest.push(argument);
      else found.set(positional.name, chosen(positional.name, argument, positional.choices));
    } else {
      const following = countArgs(kinds, index);
      const taken = takenArgs(kind.option, kind.attached, args.slice(index, index + following));
      const key = kind.option.key ?? kind.option.name;
      given.set(key, kind.option.collects ? joined(given.get(key), taken.value) : taken.value);
      index += taken.count;
    }
  }
  return { given, positionals: found, rest };
}

function joined(before: OptionValue | undefined, value: OptionValue): OptionValue {
  return [before ?? [], value].flatMap((args) => (typeof args === 'boolean' ? [] : args));
}

type Kind =
  | { readonly is: 'argument' }
  | { readonly is: 'unknown' }
  | { readonly is: 'separator' }
  | { readonly is: 'option'; readonly option: Option; readonly attached: string | undefined };

/** After `--` everything is an argument. */
function classified(args: readonly string[], options: readonly Option[]): Kind[] {
  const separator = args.indexOf('--');
  return args.map((argument, index) => {
    if (separator !== -1 && index > separator) return { is: 'argument' };
    return index === separator ? { is: 'separator' } : kindOf(argument, options);
  });
}

function kindOf(argument: string, options: readonly Option[]): Kind {
  if (!argument.startsWith('-') || argument === '-') return { is: 'argument' };
  const equals = argument.indexOf('=');
  const name = equals === -1 ? argument : argument.slice(0, equals);
  const attached = equals === -1 ? undefined : argument.slice(equals + 1);
  const option = argument.startsWith('--') ? optionNamed(name.slice(2), options) : undefined;
  if (option !== undefined) return { is: 'option', option, attached };
  // A negative number is a value, and so is anything with a space in it.
  if (/^-(\d+|\d*\.\d+)$/.test(argument) || argument.includes(' ')) return { is: 'argument' };
  return { is: 'unknown' };
}

function optionNamed(name: string, options: readonly Option[]): Option | undefined {
  const exact = options.find((option) => option.name === name);
  if (exact !== undefined) return exact;
  const [first, ...others] =
    name === ''
      ? []
      : options.filter((option) => !option.unabbreviated && option.name.startsWith(name));
  if (others.length === 0) return first;
  const matches = [first, ...others].map((option) => `--${option?.name}`).join(', ');
  throw new UsageError(`ambiguous option: --${name} could match ${matches}`);
}

function countArgs(kinds: readonly Kind[], start: number): number {
  const end = kinds.findIndex((kind, index) => index >= start && kind.is !== 'argument');
  return (end === -1 ? kinds.length : end) - start;
}

function takenArgs(
  option: Option,
  attached: string | undefined,
  following: readonly string[],
): { readonly value: OptionValue; readonly count: number } {
  const optionName = `--${option.name}`;
  if (attached !== undefined) {
    if (option.arity === 'none')
      throw new UsageError(`argument ${optionName}: ignored explicit argument '${attached}'`);
    const value = chosen(optionName, attached, option.choices);
    return { value: option.arity === 'variadic' ? [value] : value, count: 0 };
  }
  if (option.arity === 'none') return { value: option.constant ?? true, count: 0 };
  if (option.arity === 'variadic') return { value: following, count: following.length };
  const [argument] = following;
  if (argument !== undefined)
    return { value: chosen(optionName, argument, option.choices), count: 1 };
  if (option.arity === 'one') throw new UsageError(`argument ${optionName}: expected one argument`);
  return { value: option.constant ?? true, count: 0 };
}

/** The argument, or an error that names the choices nearest to it. */
function chosen(
  optionName: string,
  argument: string,
  choices: readonly string[] | undefined,
): string {
  if (choices === undefined || choices.includes(argument)) return argument;
  const near = closeMatches(argument, choices);
  const hint =
    near.length === 0
      ? ''
      : `\nMaybe you meant:\n\n${near.map((match) => `  * ${match}`).join('\n')}`;
  throw new UsageError(`argument ${optionName}: Found invalid choice '${argument}'\n${hint}`);
}

/** A whole number as the AWS CLI reads it: blanks around it and underscores between digits do not matter. */
export function readInteger(text: string): number | bigint {
  if (!/^\s*[+-]?\d+(_\d+)*\s*$/.test(text))
    throw new CliError(255, `invalid literal for int() with base 10: ${pythonRepr(text)}`);
  return exactInteger(text.trim().replaceAll('_', '').replace(/^\+/, ''));
}

export function readFloat(text: string): Float {
  const digits = text.trim().replace(/(?<=\d)_(?=\d)/g, '');
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(digits))
    throw new CliError(255, `could not convert string to float: ${pythonRepr(text)}`);
  return new Float(Number(digits));
}
