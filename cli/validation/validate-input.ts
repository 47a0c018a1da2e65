import type { Shape, StructureShape } from '#functions-contract/shape.ts';

import { CliError } from '../context/errors.ts';
import { Float, type InputMap, type InputValue, isInputList, isInputMap } from './input-value.ts';
import { printedFraction, printedKind, printedValue } from './printed-value.ts';

/**
 * Refuses, before anything is sent, what cannot be meant: wrong types, missing and unknown members, and what is below a
 * minimum. Maxima, patterns and enumerations are the service's to judge, which may know newer ones.
 */
export function validateInput(input: InputMap, shape: StructureShape): void {
  const problems: string[] = [];
  checkValue(input, shape, '', problems);
  if (problems.length > 0)
    throw new CliError(252, ['Parameter validation failed:', ...problems].join('\n'));
}

function checkValue(value: InputValue, shape: Shape, path: string, problems: string[]): void {
  if (!hasType(value, shape)) {
    problems.push(
      `Invalid type for parameter ${named(path)}, value: ${printedValue(value)}, type: ${printedKind(value)}, valid types: ${validTypes[shape.type]}`,
    );
    return;
  }
  checkMinimum(value, shape, path, problems);
  if (shape.type === 'structure' && isInputMap(value)) checkMembers(value, shape, path, problems);
  if (shape.type === 'list' && isInputList(value))
    for (const [index, item] of value.entries())
      checkValue(item, shape.item, `${path}[${index}]`, problems);
  if (shape.type === 'map' && isInputMap(value))
    for (const [key, item] of Object.entries(value)) {
      checkValue(key, shape.key, `${path} (key: ${key})`, problems);
      checkValue(item, shape.value, `${path}.${key}`, problems);
    }
}

function checkMembers(
  value: InputMap,
  shape: StructureShape,
  path: string,
  problems: string[],
): void {
  const names = Object.keys(shape.members);
  for (const [name, member] of Object.entries(shape.members))
    if (member.required && !Object.hasOwn(value, name))
      problems.push(`Missing required parameter in ${named(path)}: "${name}"`);
  for (const name of Object.keys(value))
    if (!Object.hasOwn(shape.members, name))
      problems.push(
        `Unknown parameter in ${named(path)}: "${name}", must be one of: ${names.join(', ')}`,
      );
  for (const [name, item] of Object.entries(value)) {
    const member = Object.hasOwn(shape.members, name) ? shape.members[name] : undefined;
    if (member !== undefined) checkValue(item, member.shape, `${path}.${name}`, problems);
  }
}

const named = (path: string): string => (path === '' ? 'input' : path.replace(/^\./, ''));

function hasType(value: InputValue, shape: Shape): boolean {
  switch (shape.type) {
    case 'string':
      return typeof value === 'string';
    case 'integer':
    case 'long':
      // In Python, the language of the AWS CLI, a truth value is a whole number, 0 or 1.
      return isWhole(value);
    case 'double':
      return isWhole(value) || value instanceof Float;
    case 'boolean':
      return typeof value === 'boolean';
    case 'blob':
    case 'stream':
      return typeof value === 'string' || value instanceof Uint8Array;
    case 'timestamp':
      return isTimestamp(value);
    case 'list':
      return isInputList(value);
    case 'map':
    case 'structure':
      return isInputMap(value);
  }
}

const isWhole = (value: InputValue): boolean =>
  typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean';

const isTimestamp = (value: InputValue): boolean =>
  isWhole(value) ||
  value instanceof Float ||
  (typeof value === 'string' && !Number.isNaN(Date.parse(value)));

const validTypes: Readonly<Record<Shape['type'], string>> = {
  string: "<class 'str'>",
  integer: "<class 'int'>",
  long: "<class 'int'>",
  double: "<class 'float'>, <class 'decimal.Decimal'>, <class 'int'>",
  boolean: "<class 'bool'>",
  blob: "<class 'bytes'>, <class 'bytearray'>, file-like object",
  stream: "<class 'bytes'>, <class 'bytearray'>, file-like object",
  timestamp: "<class 'datetime.datetime'>, timestamp-string",
  list: "<class 'list'>, <class 'tuple'>",
  map: "<class 'dict'>",
  structure: "<class 'dict'>",
};

function checkMinimum(value: InputValue, shape: Shape, path: string, problems: string[]): void {
  if (!('min' in shape) || shape.min === undefined || shape.type === 'map') return;
  if (shape.type === 'string' || shape.type === 'list') {
    const length = typeof value === 'string' ? Array.from(value).length : lengthOf(value);
    if (length < shape.min)
      problems.push(
        `Invalid length for parameter ${named(path)}, value: ${length}, valid min length: ${shape.min}`,
      );
  } else if (magnitude(value) < shape.min) {
    const least = shape.type === 'double' ? printedFraction(shape.min) : String(shape.min);
    problems.push(
      `Invalid value for parameter ${named(path)}, value: ${printedValue(value)}, valid min value: ${least}`,
    );
  }
}

const lengthOf = (value: InputValue): number => (isInputList(value) ? value.length : 0);

function magnitude(value: InputValue): number {
  return value instanceof Float ? value.value : Number(value);
}
