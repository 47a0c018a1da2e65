import { CliError } from '../context/errors.ts';
import { printedKind } from '../validation/printed-value.ts';
import type { CliContext } from '../context/cli-context.ts';
import type { OptionValue } from './argument-parser.ts';
import { type InputMap, type InputValue, isInputMap } from '../validation/input-value.ts';
import { readJson } from './json-reader.ts';
import { ParameterFileProblem, readParameterFile, ParameterProblem } from './parameter-file.ts';

/** What `--cli-input-json` or `--cli-input-yaml` says, by member. */
export async function readInputDocument(
  given: ReadonlyMap<string, OptionValue>,
  context: CliContext,
): Promise<InputMap> {
  if (given.has('cli-input-json') && given.has('cli-input-yaml'))
    throw new CliError(252, 'Only one --cli-input- parameter may be specified.');
  const name = given.has('cli-input-json') ? 'cli-input-json' : 'cli-input-yaml';
  const argument = given.get(name);
  const text = readText(`--${name}`, typeof argument === 'string' ? argument : '', context);
  const value = name === 'cli-input-json' ? jsonDocument(text) : await yamlDocument(text);
  if (isInputMap(value)) return value;
  const problem = `Invalid type: expecting map, received ${printedKind(value)}`;
  throw new ParameterProblem(`--${name}`, problem);
}

function readText(parameter: string, argument: string, context: CliContext): string {
  try {
    const loaded = readParameterFile(argument, context);
    return typeof loaded === 'string' ? loaded : new TextDecoder().decode(loaded);
  } catch (error) {
    if (error instanceof ParameterFileProblem) throw new ParameterProblem(parameter, error.message);
    throw error;
  }
}

function jsonDocument(text: string): InputValue {
  const reading = readJson(text);
  if (reading.kind === 'value') return reading.value;
  throw new ParameterProblem('cli-input-json', 'Invalid JSON received.');
}

async function yamlDocument(text: string): Promise<InputValue> {
  const { readYaml } = await import('./yaml-reader.ts');
  const reading = readYaml(text);
  if (reading.kind === 'value') return reading.value;
  throw new ParameterProblem('cli-input-yaml', 'Invalid YAML received.');
}
