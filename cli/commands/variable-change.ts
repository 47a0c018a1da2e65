import { getFunctionConfiguration } from '#functions-contract/operations/functions.ts';
import { CliError } from '../context/errors.ts';
import type { OptionValue } from '../input/argument-parser.ts';
import { inputMap, type InputMap, type InputValue } from '../validation/input-value.ts';
import type { Session } from '../calls/session.ts';

/** Which environment variables get which values, and which go. */
export interface VariableChange {
  readonly set: readonly (readonly [string, string])[];
  readonly unset: readonly string[];
}

/** Undefined when neither option is given. */
export function readVariableChange(
  given: ReadonlyMap<string, OptionValue>,
  input: InputMap,
): VariableChange | undefined {
  if (!given.has('set-env') && !given.has('unset-env')) return undefined;
  if (Object.hasOwn(input, 'Environment'))
    throw new CliError(
      252,
      '--environment replaces all variables; --set-env and --unset-env change individual ones. Use one or the other.',
    );
  const set = args(given.get('set-env')).map(assignment);
  const unset = args(given.get('unset-env'));
  const both = set.find(([name]) => unset.includes(name));
  if (both !== undefined)
    throw new CliError(252, `${both[0]} is in both --set-env and --unset-env.`);
  return { set, unset };
}

/** The input of an update that changes these variables and no others. */
export async function withVariables(
  { set, unset }: VariableChange,
  input: InputMap,
  session: Session,
): Promise<InputMap> {
  const record = await session.call(
    getFunctionConfiguration,
    inputMap([['FunctionName', input['FunctionName'] ?? '']]),
  );
  const variables = new Map(Object.entries(variablesOf(record['Environment'])));
  for (const name of unset) variables.delete(name);
  for (const [name, value] of set) variables.set(name, value);
  const revision = record['RevisionId'];
  const guarded: (readonly [string, InputValue])[] =
    typeof revision === 'string' ? [['RevisionId', revision]] : [];
  return inputMap([
    ...guarded,
    ...Object.entries(input),
    ['Environment', inputMap([['Variables', inputMap(variables)]])],
  ]);
}

function variablesOf(environment: unknown): Readonly<Record<string, string>> {
  if (typeof environment !== 'object' || environment === null) return {};
  if ('Error' in environment)
    throw new CliError(
      255,
      'Cannot read the variables of the function, so --set-env and --unset-env cannot change them: see Environment.Error in get-function-configuration.',
    );
  const variables: unknown = 'Variables' in environment ? environment.Variables : {};
  if (typeof variables !== 'object' || variables === null) return {};
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, String(value)]),
  );
}

function assignment(argument: string): readonly [string, string] {
  const equals = argument.indexOf('=');
  if (equals > 0) return [argument.slice(0, equals), argument.slice(equals + 1)];
  throw new CliError(
    252,
    `--set-env takes NAME=VALUE, not '${argument}'. To remove a variable: --unset-env ${argument}`,
  );
}

function args(given: OptionValue | undefined): readonly string[] {
  return typeof given === 'object' ? given : [];
}
