import type { Shape } from '#functions-contract/shape.ts';

import { exampleValue } from './example-value.ts';
import { jsonLine } from '../wire/write-json.ts';
import type { Given } from './argument-parser.ts';
import { isInputList, isInputMap } from '../validation/input-value.ts';
import { shorthandText } from './shorthand-text.ts';

/** What a mistaken shorthand could be: the form of the option, in shorthand and as JSON that needs no quoting rules but the shell's. */
export function shorthandHint(parameter: string, given: Given, shape: Shape): string {
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
