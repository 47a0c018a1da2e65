import type { Shape, StructureShape } from '#functions-contract/shape.ts';

import { isObject } from '../json/is-object.ts';

/**
 * A value as logs may show it: without members that the contract marks as sensitive, and without structures that are empty without
 * them, so that not even the presence of a secret is revealed. A value that does not match its shape is omitted too, since it could
 * be anything. Undefined: nothing may be shown.
 */
export function withoutSecrets(shape: Shape, value: unknown): unknown {
  if ('sensitive' in shape && shape.sensitive) return undefined;
  switch (shape.type) {
    case 'string':
      return typeof value === 'string' ? value : undefined;
    case 'integer':
    case 'long':
    case 'double':
    case 'timestamp':
      return typeof value === 'number' ? value : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'blob':
    case 'stream':
      // Even bytes that are not secret are of no use to a reader.
      return undefined;
    case 'list':
      return Array.isArray(value)
        ? value.map((item: unknown) => withoutSecrets(shape.item, item) ?? null)
        : undefined;
    case 'map':
      return isObject(value)
        ? shown(Object.entries(value).map(([key, item]) => [key, shape.value, item]))
        : undefined;
    case 'structure':
      return isObject(value) ? shownStructure(shape, value) : undefined;
  }
}

function shownStructure(
  { members }: StructureShape,
  value: Readonly<Record<string, unknown>>,
): Record<string, unknown> | undefined {
  return shown(
    Object.entries(members).map(([name, member]) => [name, member.shape, value[name]] as const),
  );
}

type Named = readonly [name: string, shape: Shape, value: unknown];

/** Undefined when something was given and nothing of it may be shown. */
function shown(all: readonly Named[]): Record<string, unknown> | undefined {
  const given = all.filter(([, , value]) => value !== undefined);
  const entries = given.flatMap(([name, shape, value]) => {
    const left = withoutSecrets(shape, value);
    return left === undefined ? [] : [[name, left] as const];
  });
  return entries.length === 0 && given.length > 0 ? undefined : Object.fromEntries(entries);
}
