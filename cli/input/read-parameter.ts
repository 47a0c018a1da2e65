import type { Shape } from '#functions-contract/shape.ts';

import type { CliContext } from '../context/cli-context.ts';
import type { Given } from './argument-parser.ts';
import { coerceShorthand } from './coerce-shorthand.ts';
import type { InputValue } from '../validation/input-value.ts';
import { readFraction, readInteger } from './number-format.ts';
import { ParameterFileProblem, readParameterFile } from './parameter-file.ts';
import { ParameterProblem } from './parameter-problem.ts';
import { parseShorthand } from './shorthand-parser.ts';
import { ShorthandProblem } from './shorthand-problem.ts';

/** What the words of an option mean for its shape; `place` is the option in messages. */
export async function readParameter(
  place: string,
  given: Given,
  shape: Shape,
  world: CliContext,
): Promise<InputValue> {
  if (typeof given === 'boolean') return given;
  const loaded = loadFiles(place, given, world);
  try {
    return await meaning(place, loaded, shape, world);
  } catch (error) {
    if (!(error instanceof ShorthandProblem)) throw error;
    const { shorthandHint } = await import('./shorthand-hint.ts');
    throw new ParameterProblem(place, error.message, shorthandHint(place, given, shape));
  }
}

type Loaded = string | Uint8Array | readonly string[];

/** A word alone may name a file, also where several could stand. */
function loadFiles(place: string, given: string | readonly string[], world: CliContext): Loaded {
  const [first, ...others] = typeof given === 'string' ? [given] : given;
  if (first === undefined || others.length > 0) return given;
  const loaded = readFile(place, first, world);
  return loaded === first ? given : loaded;
}

function readFile(place: string, word: string, world: CliContext): string | Uint8Array {
  try {
    return readParameterFile(word, world);
  } catch (error) {
    if (error instanceof ParameterFileProblem) throw new ParameterProblem(place, error.message);
    throw error;
  }
}

async function meaning(
  place: string,
  loaded: Loaded,
  shape: Shape,
  world: CliContext,
): Promise<InputValue> {
  if (loaded instanceof Uint8Array) return loaded;
  if (shape.type === 'list') {
    const words = typeof loaded === 'string' ? [loaded] : loaded;
    if (words.length === 1 && /^\s*\[/.test(words[0] ?? '')) return json(place, words[0] ?? '');
    return Promise.all(words.map((word) => oneValue(place, word, shape.item, world)));
  }
  return oneValue(place, typeof loaded === 'string' ? loaded : loaded.join(' '), shape, world);
}

async function oneValue(
  place: string,
  word: string,
  shape: Shape,
  world: CliContext,
): Promise<InputValue> {
  switch (shape.type) {
    case 'structure':
    case 'map':
      if (/^\s*\{/.test(word)) return json(place, word);
      if (/^\s*\[/.test(word)) throw new ParameterProblem(place, `Invalid JSON:\n${word}`);
      return coerceShorthand(
        parseShorthand(word, (value) => readFile(place, value, world)),
        shape,
      );
    case 'list':
      return json(place, word);
    case 'integer':
    case 'long':
      return readInteger(word);
    case 'double':
      return readFraction(word);
    case 'boolean':
      return !/^false$/i.test(word);
    case 'blob':
    case 'stream':
    case 'string':
    case 'timestamp':
      return word;
  }
}

async function json(place: string, text: string): Promise<InputValue> {
  const { readJson } = await import('./json-reader.ts');
  const reading = readJson(text);
  if (reading.kind === 'value') return reading.value;
  throw new ParameterProblem(place, `Invalid JSON: ${reading.problem}\nJSON received: ${text}`);
}
