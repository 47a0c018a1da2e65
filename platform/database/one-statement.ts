import type { Row, Sql, SqlValue, Statements } from './database.ts';
import { withoutNotifications } from './notifications.ts';

/**
 * Runs work that asks for one statement, and at once. A second one would need a transaction to see the same commits, so
 * it is refused; so is one that comes after something else was awaited.
 */
export async function oneStatement<T>(
  statements: Statements,
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  let allowed = true;
  async function once<R>(statement: () => Promise<R>): Promise<R> {
    if (!allowed) throw new Error('readOne runs one statement, at once: more need read.');
    allowed = false;
    return statement();
  }
  const result = work(
    withoutNotifications({
      all: <R extends object = Row>(text: string, ...values: readonly SqlValue[]) =>
        once(() => statements.all<R>(text, ...values)),
      get: <R extends object = Row>(text: string, ...values: readonly SqlValue[]) =>
        once(() => statements.get<R>(text, ...values)),
      run: (text, ...values) => once(() => statements.run(text, ...values)),
    }),
  );
  allowed = false;
  return result;
}
