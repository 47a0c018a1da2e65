import type { Shape } from '#functions-contract/shape.ts';

import {
  isInputList,
  isInputMap,
  Float,
  type InputMap,
  type InputValue,
  inputMap,
} from '../validation/input-value.ts';
import { printedFraction } from '../validation/printed-value.ts';
import { jsonLine } from '../wire/write-json.ts';
import type { OptionValue } from './argument-parser.ts';

/** What a mistaken shorthand could be: the form of the option, in shorthand and as JSON that needs no quoting rules but the shell's. */
export function shorthandHint(parameter: string, given: OptionValue, shape: Shape): string {
  const example = exampleValue(shape);
  const first = isInputList(example) ? example[0] : example;
  const shorthand = first !== undefined && isInputMap(first) ? shorthandText(first) : '';
  const args = typeof given === 'string' ? given : '';
  const plain = /^[^={}[\]"']+$/.test(args) && shape.type === 'structure' ? args.trim() : undefined;
  const member = plain === undefined ? undefined : onlyMember(shape);
  const meant = member === undefined ? '' : `Perhaps: ${parameter} ${member}=${plain ?? ''}\n`;
  return `${meant}Shorthand: ${parameter} '${shorthand}'\nAs JSON:   ${parameter} '${jsonLine(example)}'`;
}

/** The member that a lone word can only be meant for. */
function onlyMember(shape: Shape): string | undefined {
  if (shape.type !== 'structure') return undefined;
  const names = Object.keys(shape.members);
  return names.length === 1 ? names[0] : undefined;
}

/** A value as shorthand that reads as the same value. */
export function shorthandText(map: InputMap): string {
  return Object.entries(map)
    .map(([key, value]) => `${key}=${itemText(value)}`)
    .join(',');
}

function itemText(value: InputValue): string {
  if (isInputList(value)) return `[${value.map(itemText).join(',')}]`;
  if (isInputMap(value)) return `{${shorthandText(value)}}`;
  if (typeof value === 'string') return wordText(value);
  if (value instanceof Float) return printedFraction(value.value);
  return wordText(String(value));
}

/** Plain text is not quoted; anything ambiguous is. */
function wordText(text: string): string {
  if (/^[A-Za-z0-9_./:-]+$/.test(text)) return text;
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', String.raw`\"`)}"`;
}

/** A value of a shape that shows its form: empty texts, zeros, the first of the values that are taken. */
export function exampleValue(shape: Shape): InputValue {
  switch (shape.type) {
    case 'structure':
      return inputMap(
        Object.entries(shape.members).map(([name, member]) => [name, exampleValue(member.shape)]),
      );
    case 'map':
      return inputMap([['KeyName', exampleValue(shape.value)]]);
    case 'list':
      return [exampleValue(shape.item)];
    case 'string':
      return shape.values?.[0] ?? shape.known?.[0] ?? '';
    case 'integer':
    case 'long':
      return 0;
    case 'double':
      return new Float(0);
    case 'boolean':
      return true;
    case 'blob':
    case 'stream':
      return '';
    case 'timestamp':
      return '1970-01-01T00:00:00';
  }
}
