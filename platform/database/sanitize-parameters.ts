import type { SqlValue } from './database.ts';

/**
 * PostgreSQL cannot hold U+0000 in a text. On both engines it becomes U+FFFD, so that a name with it is simply not found,
 * and both keep the same.
 */
export function storableValues(values: readonly SqlValue[]): SqlValue[] {
  return values.map((value) =>
    typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value,
  );
}
