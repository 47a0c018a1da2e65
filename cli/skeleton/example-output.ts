import type { Shape } from '#functions-contract/shape.ts';

/** A sample of what an operation answers: texts are the names of their members. */
export function exampleOutput(shape: Shape, name = ''): unknown {
  switch (shape.type) {
    case 'structure':
      return Object.fromEntries(
        Object.entries(shape.members).map(([member, { shape: inner }]) => [
          member,
          exampleOutput(inner, member),
        ]),
      );
    case 'map':
      return { KeyName: exampleOutput(shape.value, 'KeyName') };
    case 'list':
      return [exampleOutput(shape.item, name)];
    case 'string':
      return shape.values?.[0] ?? name;
    case 'integer':
    case 'long':
    case 'double':
      return 0;
    case 'boolean':
      return true;
    case 'blob':
    case 'stream':
      return name;
    case 'timestamp':
      return '1970-01-01T00:00:00+00:00';
  }
}
