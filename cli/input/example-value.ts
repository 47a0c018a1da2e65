import type { Shape } from '#functions-contract/shape.ts';

import { Fraction, type InputValue, inputMap } from '../validation/input-value.ts';

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
      return new Fraction(0);
    case 'boolean':
      return true;
    case 'blob':
    case 'stream':
      return '';
    case 'timestamp':
      return '1970-01-01T00:00:00';
  }
}
