import type { Row, Sql, SqlValue, Statements } from './database.ts';

/** One write function's view of its transaction. */
export interface TransactionScope {
  readonly sql: Sql;
  /** The channels that are to be notified of the commit. */
  readonly notified: ReadonlySet<string>;
  /** No statement runs through `sql` any more. */
  end(): void;
  /** Throws what the first failed statement threw, even if the write function swallowed it. */
  assertSound(): void;
}

/**
 * Makes both engines alike where they differ: PostgreSQL gives up a transaction at its first failed statement, SQLite
 * would go on. Here a failed statement ends the write on either, and nothing can be written after its end.
 */
export function transactionScope(
  statements: Statements,
  access: 'read' | 'write',
): TransactionScope {
  const notified = new Set<string>();
  let ended = false;
  let failure: { readonly error: unknown } | undefined;

  async function guarded<T>(statement: () => Promise<T>): Promise<T> {
    if (ended) throw new Error('A statement was run after its transaction had ended.');
    // No other can run in this transaction, and what became of it decides whether it is tried again.
    if (failure) throw failure.error;
    try {
      return await statement();
    } catch (error) {
      failure ??= { error };
      throw error;
    }
  }

  return {
    sql: {
      all: <R extends object = Row>(text: string, ...values: readonly SqlValue[]) =>
        guarded(() => statements.all<R>(text, ...values)),
      get: <R extends object = Row>(text: string, ...values: readonly SqlValue[]) =>
        guarded(() => statements.get<R>(text, ...values)),
      run: (text, ...values) => guarded(() => statements.run(text, ...values)),
      notify(channel) {
        if (access === 'read')
          throw new Error('A read commits nothing, so it cannot notify listeners.');
        if (ended) throw new Error('A notification came after its transaction had ended.');
        notified.add(channel);
      },
    },
    notified,
    end: () => {
      ended = true;
    },
    assertSound: () => {
      if (failure) throw failure.error;
    },
  };
}
