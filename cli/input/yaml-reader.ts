import { parseDocument } from 'yaml';

import { Float, inputMap, type InputValue } from '../validation/input-value.ts';

export type YamlReading =
  | { readonly kind: 'value'; readonly value: InputValue }
  | { readonly kind: 'problem' };

/**
 * YAML 1.2, core schema and `!!binary`. Other tags are refused: what they make of a value is not known here. Aliases are
 * counted, so that a small document cannot become a huge one.
 */
export function readYaml(text: string): YamlReading {
  const document = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    customTags: ['binary'],
    intAsBigInt: true,
    uniqueKeys: true,
    logLevel: 'silent',
  });
  if (document.errors.length > 0 || document.warnings.length > 0) return { kind: 'problem' };
  try {
    const value: unknown = document.toJS({ maxAliasCount: 100, mapAsMap: true });
    return { kind: 'value', value: inputValue(value) };
  } catch {
    // The library refuses to unfold aliases, or the document holds a kind of value that no member can have.
    return { kind: 'problem' };
  }
}

function inputValue(value: unknown): InputValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }
  // Whole numbers come as bigint.
  if (typeof value === 'number') return new Float(value);
  if (value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return value.map(inputValue);
  if (value instanceof Map)
    return inputMap([...value].map(([key, item]) => [keyText(key), inputValue(item)]));
  throw new TypeError('A value of YAML that has no counterpart.');
}

function keyText(key: unknown): string {
  if (typeof key === 'object' && key !== null) throw new TypeError('A key must be a scalar.');
  return String(key);
}
