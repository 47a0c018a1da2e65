/**
 * What the user gave, before it is checked against a shape. Integers and numbers with a fraction are different types, as the
 * messages and the JSON sent distinguish `2` from `2.0`.
 */
export type InputValue =
  | string
  | number
  | bigint
  | Float
  | boolean
  | null
  | Uint8Array
  | readonly InputValue[]
  | InputMap;

/** Has no prototype: any name is a key like any other, `__proto__` too. */
export interface InputMap {
  [key: string]: InputValue;
}

/** A number written with a point or an exponent. */
export class Float {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

export function inputMap(entries: Iterable<readonly [string, InputValue]> = []): InputMap {
  const map: InputMap = Object.create(null);
  for (const [key, value] of entries) map[key] = value;
  return map;
}

export function isInputMap(value: InputValue): value is InputMap {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Uint8Array) &&
    !(value instanceof Float)
  );
}

export function isInputList(value: InputValue): value is readonly InputValue[] {
  return Array.isArray(value);
}

/** As exact as it was written. */
export function exactInteger(digits: string): number | bigint {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : BigInt(digits);
}
