import { isBytes, isList, isMapping } from './data.ts';
import { visibleControlsInJson } from '#platform/visible-controls.ts';

/** Four spaces, the order of the members as they stand, everything but control characters raw. */
export function jsonText(value: unknown, { terminal }: { terminal: boolean }): string {
  const json = JSON.stringify(jsonValue(value), undefined, 4);
  return `${terminal ? visibleControlsInJson(json) : json}\n`;
}

/** What JSON has no word for: bytes become base64, and what is absent null. */
export function jsonValue(value: unknown): unknown {
  if (isBytes(value)) return Buffer.from(value).toString('base64');
  if (isList(value)) return value.map(jsonValue);
  if (isMapping(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, jsonValue(member)]),
    );
  }
  return value ?? null;
}
