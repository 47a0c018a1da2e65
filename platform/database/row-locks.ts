import type { Database } from './database.ts';

/**
 * Ends a select that finds the rows which a transaction is going to change: locks those that no other transaction has locked, and leaves
 * the others out. For `read committed` only. SQLite has a single writer, which needs no locks. Rows that refer to the locked ones can still be added.
 */
export function skipLocked(engine: Database['engine']): string {
  return engine === 'postgres' ? 'for no key update skip locked' : '';
}
