/** What the routes of random requests have in common. */
import * as fc from 'fast-check';
import type { Arbitrary } from 'fast-check';

import { hostileHeaders, hostileSegment } from '../forge/testing/hostile-values.ts';
import type { Targets } from './random-targets.ts';

export interface RandomRequest {
  /** For the report: what was asked. */
  readonly name: string;
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string | undefined;
}

export type Route = (targets: Targets) => Arbitrary<RandomRequest>;

export const someHeaders = fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, hostileHeaders);

export const mostly = fc.constantFrom(true, true, true, false);

export function withQuery(path: string, query: string): string {
  return query === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

/** A path whose parameters have values that are known, or hostile ones. */
export function filledPath(path: string, targets: Targets): Arbitrary<string> {
  const pieces = path.split(/(:\w+(?:\([^/]*\))?|\*)/);
  return fc
    .tuple(
      ...pieces.map((piece) => {
        const parameter = /^(?:\*$|:(\w+))/.exec(piece);
        if (!parameter) return fc.constant(piece);
        const known = targets.valuesOf(parameter[1] ?? '*');
        if (known === undefined) return hostileSegment;
        return fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...known) }, hostileSegment);
      }),
    )
    .map((parts) => parts.join(''));
}

export function seldom<T>(value: Arbitrary<T>): Arbitrary<T | undefined> {
  return fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, value);
}
