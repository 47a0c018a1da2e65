import { isBytes, isList, isMapping, isScalar, type Mapping, sortedKeys } from './data.ts';
import { jsonValue } from './json-text.ts';
import { numberText } from './printed-scalar.ts';
import { yamlString } from './yaml-string.ts';

/** Blocks with sorted keys; a bare scalar is JSON, as recorded. */
export function yamlText(value: unknown): string {
  if (isScalar(value)) return `${JSON.stringify(jsonValue(value))}\n`;
  return linesText(blockLines(value, 0));
}

/** A page as one item of a list, so that pages printed one after the other are one document. */
export function yamlStreamItem(value: unknown): string {
  return linesText(listLines([value], 0));
}

const linesText = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

/** `indent`: the column that the block's own lines start at, for folding; the caller indents them. */
function blockLines(value: unknown, indent: number): string[] {
  if (isMapping(value) && Object.keys(value).length > 0) return mappingLines(value, indent);
  if (isList(value) && value.length > 0) return listLines(value, indent);
  return scalarLines(value, indent, indent);
}

function listLines(list: readonly unknown[], indent: number): string[] {
  return list.flatMap((item) => {
    const [first = '', ...rest] = blockLines(item, indent + 2);
    return [`- ${first}`, ...rest.map((line) => indented(line, 2))];
  });
}

function mappingLines(mapping: Mapping, indent: number): string[] {
  return sortedKeys(mapping).flatMap((name) => {
    const key = `${keyText(name)}:`;
    const value = mapping[name];
    // A list stands under its key without being indented.
    if (isList(value) && value.length > 0) return [key, ...listLines(value, indent)];
    if (isMapping(value) && Object.keys(value).length > 0) {
      return [key, ...mappingLines(value, indent + 2).map((line) => indented(line, 2))];
    }
    const [first = '', ...rest] = scalarLines(value, indent + key.length + 1, indent + 2);
    return [`${key} ${first}`, ...rest.map((line) => indented(line, 2))];
  });
}

/** A name too long to be read as a key at once is announced by `?`; such names do not occur in answers. */
const keyText = (name: string): string =>
  yamlString(name, { column: 0, indent: 0, folds: false }).join(' ');

function scalarLines(value: unknown, column: number, indent: number): string[] {
  if (isList(value)) return ['[]'];
  if (isMapping(value)) return ['{}'];
  if (typeof value === 'string') return yamlString(value, { column, indent, folds: true });
  if (isBytes(value)) return [`!!binary ${Buffer.from(value).toString('base64')}`];
  if (typeof value === 'number') return [numberText(value)];
  return [typeof value === 'boolean' ? String(value) : 'null'];
}

const indented = (line: string, count: number): string =>
  line === '' ? '' : ' '.repeat(count) + line;
