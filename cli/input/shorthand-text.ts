import { printedFraction } from '../validation/printed-value.ts';
import {
  Fraction,
  type InputMap,
  type InputValue,
  isInputList,
  isInputMap,
} from '../validation/input-value.ts';

/** A value as shorthand that reads as the same value. */
export function shorthandText(map: InputMap): string {
  return Object.entries(map)
    .map(([key, value]) => `${key}=${itemText(value)}`)
    .join(',');
}

function itemText(value: InputValue): string {
  if (isInputList(value)) return `[${value.map(itemText).join(',')}]`;
  if (isInputMap(value)) return `{${shorthandText(value)}}`;
  if (typeof value === 'string') return wordText(value);
  if (value instanceof Fraction) return printedFraction(value.value);
  return wordText(String(value));
}

/** Plain text is not quoted; anything ambiguous is. */
function wordText(text: string): string {
  if (/^[A-Za-z0-9_./:-]+$/.test(text)) return text;
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', String.raw`\"`)}"`;
}
