import { Float, type InputValue, isInputList, isInputMap } from './input-value.ts';

/**
 * A value as the AWS CLI prints it in its messages, which follow the notation of the language it is written in:
 * scripts match on these texts.
 */
export function printedValue(value: InputValue): string {
  return typeof value === 'string' ? value : pythonRepr(value);
}

/** The same inside a list or a map, where texts stand in quotes. */
export function pythonRepr(value: InputValue): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (value instanceof Float) return printedFraction(value.value);
  if (value instanceof Uint8Array) return `b${quoted(Buffer.from(value).toString('latin1'), true)}`;
  if (isInputList(value)) return `[${value.map(pythonRepr).join(', ')}]`;
  return `{${Object.entries(value)
    .map(([key, item]) => `${quoted(key)}: ${pythonRepr(item)}`)
    .join(', ')}}`;
}

/** Always with a point or an exponent: `2.0`, `1e+16`. */
export function printedFraction(value: number): string {
  const text = String(value).replace(/e([+-])(\d)$/, 'e$10$2');
  if (Number.isInteger(value) && Math.abs(value) >= 1e16 && !text.includes('e'))
    return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
  return /[.e]/.test(text) ? text : `${text}.0`;
}

/** The kind of a value in the same notation. */
export function printedKind(value: InputValue): string {
  return `<class '${kindName(value)}'>`;
}

function kindName(value: InputValue): string {
  if (value === null) return 'NoneType';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'str';
  if (typeof value === 'number' || typeof value === 'bigint') return 'int';
  if (value instanceof Float) return 'float';
  if (value instanceof Uint8Array) return 'bytes';
  return isInputMap(value) ? 'dict' : 'list';
}

function quoted(text: string, bytes = false): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  let printed = '';
  for (const character of text) printed += escaped(character, quote, bytes);
  return quote + printed + quote;
}

function escaped(character: string, quote: string, bytes: boolean): string {
  const code = character.codePointAt(0) ?? 0;
  if (character === quote || character === '\\') return `\\${character}`;
  if (character === '\n') return '\\n';
  if (character === '\r') return '\\r';
  if (character === '\t') return '\\t';
  if (code < 0x20 || code === 0x7f || (code > 0x7f && (bytes || code <= 0xa0)))
    return `\\x${code.toString(16).padStart(2, '0')}`;
  if (code >= 0xd800 && code <= 0xdfff) return `\\u${code.toString(16)}`;
  return character;
}
