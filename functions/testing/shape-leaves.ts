import type { Shape } from '#functions-contract/shape.ts';

/** The members of a shape that have no members of their own, by their paths; those of the items of a list belong to the list. */
export function leavesOf(shape: Shape, path = ''): (readonly [path: string, shape: Shape])[] {
  switch (shape.type) {
    case 'structure':
      return Object.entries(shape.members).flatMap(([name, member]) =>
        leavesOf(member.shape, path === '' ? name : `${path}.${name}`),
      );
    case 'list':
      return leavesOfItems(shape, shape.item, path);
    case 'map':
      return leavesOfItems(shape, shape.value, path);
    case 'blob':
    case 'boolean':
    case 'double':
    case 'integer':
    case 'long':
    case 'stream':
    case 'string':
    case 'timestamp':
      return [[path, shape]];
  }
}

function leavesOfItems(whole: Shape, item: Shape, path: string): (readonly [string, Shape])[] {
  return item.type === 'structure' ? leavesOf(item, path) : [[path, whole]];
}
