import * as fc from 'fast-check';
import type { Arbitrary } from 'fast-check';

const firstSurrogate = 0xd800;
const surrogates = 0x800;
const codePointMax = 0x10ffff;

/**
 * Every character of Unicode, as a unit of `fc.string`. Its own unit `binary` is the same and takes a second to make, because it
 * tabulates them all.
 */
export const anyCharacter: Arbitrary<string> = fc
  .nat({ max: codePointMax - surrogates })
  .map((n) => String.fromCodePoint(n < firstSurrogate ? n : n + surrogates));
