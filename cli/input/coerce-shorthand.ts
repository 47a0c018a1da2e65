import type { Shape } from '#functions-contract/shape.ts';

import { type InputValue, inputMap, isInputList, isInputMap } from '../validation/input-value.ts';
import { readFraction, readInteger } from './number-format.ts';

/** Gives the texts of shorthand the kinds that the shape asks for; what does not fit is left for the validation to report. */
export function coerceShorthand(value: InputValue, shape: Shape): InputValue {
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
      return readFraction(text);
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
