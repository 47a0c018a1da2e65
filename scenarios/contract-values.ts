/** Hostile values for every text, number and list of an operation's input, found in the contract itself. */
import * as fc from 'fast-check';

import type { Operation } from '#functions-contract/operation.ts';
import type { Shape, StringShape } from '#functions-contract/shape.ts';
import { hostileTexts, loneSurrogate } from '#functions/launcher/testing/hostile-texts.ts';

export interface HostileInput {
  /** Where the value is, for messages. */
  readonly path: string;
  readonly value: unknown;
  /** The members of the input to set. */
  readonly members: Readonly<Record<string, unknown>>;
}

/** `examples` has a value that fits for members whose structure needs others in addition to the hostile one; by the path of the structure. */
export function hostileInputs(
  { input }: Operation,
  examples: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
): HostileInput[] {
  return Object.entries(input.members).flatMap(([name, member]) =>
    valuesFor(member.shape, name, examples).map(({ path, value, whole }) => ({
      path,
      value,
      members: { [name]: whole },
    })),
  );
}

interface Variant {
  readonly path: string;
  readonly value: unknown;
  /** The value with all that is around it. */
  readonly whole: unknown;
}

function valuesFor(
  shape: Shape,
  path: string,
  examples: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
): Variant[] {
  const plain = (values: readonly unknown[]): Variant[] =>
    values.map((value) => ({ path, value, whole: value }));
  switch (shape.type) {
    case 'string':
      return plain(textsFor(shape));
    case 'integer':
    case 'long':
    case 'double': {
      const { min = 0, max = 2 ** 31 } = shape;
      return plain([min, max, min - 1, max + 1, -1, 0, 1.5, 2 ** 53, -(2 ** 63), 1e308, '1']);
    }
    case 'boolean':
      return plain([true, false, 'true', 1]);
    case 'list': {
      const inner = valuesFor(shape.item, `${path}[]`, examples);
      const around = (whole: unknown): Variant => ({ path, value: whole, whole });
      const many = Array.from({ length: 2000 }, () => '--share-net');
      return [
        ...inner.map((variant) => ({ ...variant, whole: [variant.whole] })),
        ...[[], [null], [[]], many].map(around),
      ];
    }
    case 'map':
      return [
        ...valuesFor(shape.key, `${path}{key}`, examples).flatMap((variant) =>
          typeof variant.whole === 'string'
            ? [{ ...variant, whole: { [variant.whole]: 'value' } }]
            : [],
        ),
        ...valuesFor(shape.value, `${path}{value}`, examples).map((variant) => ({
          ...variant,
          whole: { KEY: variant.whole },
        })),
      ];
    case 'structure':
      return Object.entries(shape.members).flatMap(([name, member]) =>
        valuesFor(member.shape, `${path}.${name}`, examples).map((variant) => ({
          ...variant,
          whole: { ...examples[path], [name]: variant.whole },
        })),
      );
    case 'blob':
    case 'stream':
    case 'timestamp':
      return [];
  }
}

function textsFor({ values = [], pattern }: StringShape): readonly string[] {
  const fitting = pattern === undefined ? [] : samples(pattern);
  return [
    ...new Set([
      ...values.slice(0, 1),
      ...fitting,
      ...hostileTexts,
      loneSurrogate,
      'a\0--bind\0/\0/tmp',
    ]),
  ];
}

/** Texts that the pattern lets pass, the oddest that it does. */
function samples(pattern: string): string[] {
  const whole = new RegExp(`^(?:${pattern})$`);
  const odd = [
    '..',
    '.',
    '-',
    '-rf',
    '--bind',
    '/mnt/..',
    '/mnt/-x',
    '/mnt/...',
    '../..',
    '/../..',
    'a/../../b',
    '#',
    '_',
  ];
  const fitting = odd.filter((text) => whole.test(text));
  try {
    return [...fitting, ...fc.sample(fc.stringMatching(whole), { numRuns: 3, seed: 7 })];
  } catch {
    // Some patterns say things that the generator does not know.
    return fitting;
  }
}
