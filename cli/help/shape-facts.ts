import type { Member, Shape } from '#functions-contract/shape.ts';

import { isInputList, isInputMap } from '../validation/input-value.ts';
import type { MemberOption } from '../input/operation-args.ts';
import { shorthandText, exampleValue } from '../input/shorthand-hint.ts';
import { jsonLine } from '../wire/write-json.ts';

/** The type and the bounds of a value, as text. */
export function shapeFacts(shape: Shape): string[] {
  switch (shape.type) {
    case 'string': {
      const values = shape.values ?? shape.known;
      return [
        'string',
        ...bounds(shape.min, shape.max, ' characters'),
        ...(values === undefined ? [] : [`one of ${values.join(', ')}`]),
        ...(shape.pattern === undefined ? [] : [`pattern ${shape.pattern}`]),
      ];
    }
    case 'integer':
    case 'long':
    case 'double':
      return [shape.type, ...bounds(shape.min, shape.max, '')];
    case 'list':
      return [`list of ${shape.item.type}`, ...bounds(shape.min, shape.max, ' items')];
    case 'map':
      return [`map of ${shape.key.type} to ${shape.value.type}`];
    case 'blob':
    case 'boolean':
    case 'stream':
    case 'structure':
    case 'timestamp':
      return [shape.type];
  }
}

function bounds(min: number | undefined, max: number | undefined, unit: string): string[] {
  if (min !== undefined && max !== undefined) return [`${min} to ${max}${unit}`];
  if (min !== undefined) return [`at least ${min}${unit}`];
  return max === undefined ? [] : [`at most ${max}${unit}`];
}

/** The members of a structure, each on a line with its facts, those within it below. */
export function shapeOutline(shape: Shape, indent: string): string {
  if (shape.type === 'list') return shapeOutline(shape.item, indent);
  if (shape.type === 'map') return shapeOutline(shape.value, indent);
  if (shape.type !== 'structure') return '';
  return Object.entries(shape.members)
    .map(([name, { shape: inner, required, ...member }]) => {
      const facts = [
        ...(required ? ['required'] : []),
        ...shapeFacts(inner),
        ...defaultFact(member),
      ];
      return `${indent}${name} (${facts.join('; ')})\n${shapeOutline(inner, `${indent}  `)}`;
    })
    .join('');
}

/** What a member is when it is not given, unless that is nothing, or the defaults of its own members. */
export function defaultFact({
  default: value,
  defaultDescription,
}: Pick<Member, 'default' | 'defaultDescription'>): string[] {
  if (defaultDescription !== undefined) return [`default ${defaultDescription}`];
  // Help shows the defaults of a structure at its members.
  const ofOne = typeof value === 'object' ? '' : String(value ?? '');
  const shown = Array.isArray(value) ? value.join(', ') : ofOne;
  return shown === '' ? [] : [`default ${shown}`];
}

/** How a structure is written: in shorthand, and as JSON. */
export function memberForm({ name, declaration: { shape } }: MemberOption): string {
  const example = exampleValue(shape);
  const first = isInputList(example) ? example[0] : example;
  if (first === undefined || !isInputMap(first)) return '';
  return `\n  Shorthand: --${name} '${shorthandText(first)}'\n  As JSON:   --${name} '${jsonLine(example)}'\n`;
}
