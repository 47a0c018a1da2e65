import {
  Float,
  type InputMap,
  type InputValue,
  isInputList,
  isInputMap,
} from '../validation/input-value.ts';
import { printedFraction } from '../validation/printed-value.ts';

/**
 * JSON as the AWS CLI writes it: a blank after `,` and `:`, nothing beyond ASCII. The service does not mind; proxies
 * and recordings that compare bytes do.
 */
export function jsonLine(value: InputValue): string {
  if (isInputList(value)) return `[${value.map(jsonLine).join(', ')}]`;
  if (isInputMap(value))
    return `{${Object.entries(value)
      .map(([key, item]) => `${asciiText(key)}: ${jsonLine(item)}`)
      .join(', ')}}`;
  return scalarText(value);
}

/** The same over several lines. */
export function jsonLines(value: InputValue, indent = ''): string {
  const inner = `${indent}    `;
  const within = (open: string, parts: readonly string[], close: string): string =>
    parts.length === 0
      ? open + close
      : `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${indent}${close}`;
  if (isInputList(value))
    return within(
      '[',
      value.map((item) => jsonLines(item, inner)),
      ']',
    );
  if (isInputMap(value)) return within('{', memberLines(value, inner), '}');
  return scalarText(value);
}

function memberLines(map: InputMap, indent: string): string[] {
  return Object.entries(map).map(([key, item]) => `${asciiText(key)}: ${jsonLines(item, indent)}`);
}

function scalarText(value: Exclude<InputValue, InputMap | readonly InputValue[]>): string {
  if (typeof value === 'string') return asciiText(value);
  if (value instanceof Uint8Array) return `"${Buffer.from(value).toString('base64')}"`;
  if (value instanceof Float) return printedFraction(value.value);
  return String(value);
}

function asciiText(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
