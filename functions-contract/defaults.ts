/** What the service takes for members that are absent. */
import type { Shape, StructureOf, StructureShape, ValueOf } from './shape.ts';

/** The members of a structure that are always there once its defaults are filled in. */
export type DefaultsOf<S extends StructureShape> = {
  readonly [
    K in keyof S['members'] as S['members'][K] extends HasDefault ? K : never
  ]: CompleteValueOf<S['members'][K]['shape']>;
};

// oxlint-disable-next-line typescript/no-empty-object-type -- anything but undefined
type HasDefault = { readonly default: {} };

type CompleteValueOf<S extends Shape> = S extends StructureShape
  ? StructureOf<S> & DefaultsOf<S>
  : ValueOf<S>;

/**
 * A value with the defaults of a structure, and of the structures within it, where it has nothing of its own. What else is in it
 * stays.
 */
export function withDefaults<S extends StructureShape, V extends object>(
  structure: S,
  value: V,
): V & DefaultsOf<S> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- complete() adds the members that this type adds
  return complete(structure, value) as V & DefaultsOf<S>;
}

function complete({ members }: StructureShape, value: object): Record<string, unknown> {
  const result: Record<string, unknown> = { ...value };
  for (const [name, member] of Object.entries(members)) {
    const present = result[name] ?? member.default;
    if (present === undefined) continue;
    result[name] =
      member.shape.type === 'structure' && typeof present === 'object' && present !== null
        ? complete(member.shape, present)
        : present;
  }
  return result;
}
