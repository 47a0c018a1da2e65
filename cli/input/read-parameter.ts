import type { Shape } from '#functions-contract/shape.ts';

import type { CliContext } from '../context/cli-context.ts';
import { type InputValue, inputMap, isInputList, isInputMap } from '../validation/input-value.ts';
import { type OptionValue, readFloat, readInteger } from './argument-parser.ts';
import { ParameterFileProblem, readParameterFile, ParameterProblem } from './parameter-file.ts';
import { parseShorthand, ShorthandProblem } from './shorthand-parser.ts';

/** The value of an option's arguments for its shape; `parameter` is the option in messages. */
export async function readParameter(
  parameter: string,
  given: OptionValue,
  shape: Shape,
  context: CliContext,
): Promise<InputValue> {
  if (typeof given === 'boolean') return given;
  const loaded = loadFiles(parameter, given, context);
  try {
    return await parseByShape(parameter, loaded, shape, context);
  } catch (error) {
    if (!(error instanceof ShorthandProblem)) throw error;
    const { shorthandHint } = await import('./shorthand-hint.ts');
    throw new ParameterProblem(parameter, error.message, shorthandHint(parameter, given, shape));
  }
}

type Loaded = string | Uint8Array | readonly string[];

/** A word alone may name a file, also where several could stand. */
function loadFiles(
  parameter: string,
  given: string | readonly string[],
  context: CliContext,
): Loaded {
  const [first, ...others] = typeof given === 'string' ? [given] : given;
  if (first === undefined || others.length > 0) return given;
  const loaded = readFile(parameter, first, context);
  return loaded === first ? given : loaded;
}

function readFile(parameter: string, argument: string, context: CliContext): string | Uint8Array {
  try {
    return readParameterFile(argument, context);
  } catch (error) {
    if (error instanceof ParameterFileProblem) throw new ParameterProblem(parameter, error.message);
    throw error;
  }
}

async function parseByShape(
  parameter: string,
  loaded: Loaded,
  shape: Shape,
  context: CliContext,
): Promise<InputValue> {
  if (loaded instanceof Uint8Array) return loaded;
  if (shape.type === 'list') {
    const args = typeof loaded === 'string' ? [loaded] : loaded;
    if (args.length === 1 && /^\s*\[/.test(args[0] ?? '')) return json(parameter, args[0] ?? '');
    return Promise.all(args.map((argument) => oneValue(parameter, argument, shape.item, context)));
  }
  return oneValue(
    parameter,
    typeof loaded === 'string' ? loaded : loaded.join(' '),
    shape,
    context,
  );
}

async function oneValue(
  parameter: string,
  argument: string,
  shape: Shape,
  context: CliContext,
): Promise<InputValue> {
  switch (shape.type) {
    case 'structure':
    case 'map':
      if (/^\s*\{/.test(argument)) return json(parameter, argument);
      if (/^\s*\[/.test(argument))
        throw new ParameterProblem(parameter, `Invalid JSON:\n${argument}`);
      return coerceShorthand(
        parseShorthand(argument, (value) => readFile(parameter, value, context)),
        shape,
      );
    case 'list':
      return json(parameter, argument);
    case 'integer':
    case 'long':
      return readInteger(argument);
    case 'double':
      return readFloat(argument);
    case 'boolean':
      return !/^false$/i.test(argument);
    case 'blob':
    case 'stream':
    case 'string':
    case 'timestamp':
      return argument;
  }
}

async function json(parameter: string, text: string): Promise<InputValue> {
  const { readJson } = await import('./json-reader.ts');
  const reading = readJson(text);
  if (reading.kind === 'value') return reading.value;
  throw new ParameterProblem(parameter, `Invalid JSON: ${reading.problem}\nJSON received: ${text}`);
}

/** Gives the texts of shorthand the kinds that the shape asks for; what does not fit is left for the validation to report. */
function coerceShorthand(value: InputValue, shape: Shape): InputValue {
  switch (shape.type) {
    case 'structure':
      if (!isInputMap(value)) return value;
      return inputMap(
        Object.entries(value).map(([name, item]) => {
          const member = memberOf(shape.members, name);
          return [name, member === undefined ? item : coerceShorthand(item, member.shape)];
        }),
      );
    case 'map':
      if (!isInputMap(value)) return value;
      return inputMap(
        Object.entries(value).map(([key, item]) => [key, coerceShorthand(item, shape.value)]),
      );
    case 'list': {
      const items = isInputList(value) ? value : [value];
      return items.map((item) => coerceShorthand(item, shape.item));
    }
    case 'blob':
    case 'boolean':
    case 'double':
    case 'integer':
    case 'long':
    case 'stream':
    case 'string':
    case 'timestamp':
      return typeof value === 'string' ? scalar(value, shape) : value;
  }
}

type Members = Extract<Shape, { type: 'structure' }>['members'];

/** By its name or by another spelling that is taken. */
function memberOf(members: Members, name: string): Members[string] | undefined {
  if (Object.hasOwn(members, name)) return members[name];
  return Object.values(members).find((member) => member.aliases?.includes(name));
}

function scalar(text: string, shape: Shape): InputValue {
  switch (shape.type) {
    case 'integer':
    case 'long':
      return readInteger(text);
    case 'double':
      return readFloat(text);
    case 'boolean':
      if (/^true$/i.test(text)) return true;
      return /^false$/i.test(text) ? false : text;
    case 'blob':
    case 'list':
    case 'map':
    case 'stream':
    case 'string':
    case 'structure':
    case 'timestamp':
      return text;
  }
}
