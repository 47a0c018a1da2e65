/** What the formats take apart: a response once parsed. */
export type Mapping = Readonly<Record<string, unknown>>;

export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !isList(value) && !isBytes(value);
}

export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

export function isScalar(value: unknown): boolean {
  return !isMapping(value) && !isList(value);
}

/** False, zero and the empty text count as nothing here, as recorded. */
export function isNothing(value: unknown): boolean {
  if (isList(value)) return value.length === 0;
  if (isMapping(value)) return Object.keys(value).length === 0;
  return !value;
}

export function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array;
}

export function sortedKeys(value: Mapping): string[] {
  return Object.keys(value).toSorted(byCodePoint);
}

/** By code point, as the AWS CLI sorts; by UTF-16 unit, emoji would stand before `ﬀ`. */
export function byCodePoint(one: string, other: string): number {
  const shorter = Math.min(one.length, other.length);
  for (let index = 0; index < shorter; index += 1) {
    if (one.charCodeAt(index) === other.charCodeAt(index)) continue;
    return codePointAround(one, index) - codePointAround(other, index);
  }
  return one.length - other.length;
}

/** Of the second half of a pair: the pair's, since both texts agree on its first half. */
function codePointAround(text: string, index: number): number {
  const pair = index > 0 ? (text.codePointAt(index - 1) ?? 0) : 0;
  return pair > 0xffff ? pair : (text.codePointAt(index) ?? 0);
}
