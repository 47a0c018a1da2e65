import { pythonRepr } from '../validation/printed-value.ts';
import { isBytes, isList } from './data.ts';
import { visibleControls } from '#platform/visible-controls.ts';

/**
 * A value in one column of text or of a table: `True`, `None`, strings as they are. A list or a mapping comes here where
 * other rows have a scalar of that name, and is printed in Python's notation, as the AWS CLI does.
 */
export function printedScalar(value: unknown, { terminal }: { terminal: boolean }): string {
  const text = typeof value === 'string' ? value : valueText(value);
  return terminal ? visibleControls(text) : text;
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return pythonRepr(value);
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return typeof value === 'object' && value !== null ? compositeText(value) : 'None';
}

function compositeText(value: object): string {
  if (isBytes(value)) return Buffer.from(value).toString('base64');
  if (isList(value)) return `[${value.map(valueText).join(', ')}]`;
  const members = Object.entries(value).map(
    ([name, member]) => `${valueText(name)}: ${valueText(member)}`,
  );
  return `{${members.join(', ')}}`;
}

/** Small fractions with a two-digit exponent, as the AWS CLI prints them. */
export function numberText(value: number): string {
  if (Number.isInteger(value))
    return Math.abs(value) < 1e21 ? String(value) : BigInt(value).toString();
  const [digits = '', exponent] = Math.abs(value) < 1e-4 ? value.toExponential().split('e') : [];
  if (exponent === undefined) return String(value);
  return `${digits}e-${exponent.slice(1).padStart(2, '0')}`;
}
