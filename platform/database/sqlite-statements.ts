import type { DatabaseSync, StatementSync } from 'node:sqlite';

import type { SqlValue, Statements } from './database.ts';
import { storableValues } from './sanitize-parameters.ts';

/**
 * The statements of one connection, prepared once and cached by their text. Integers that a number cannot hold make the
 * statement fail rather than lose digits (node:sqlite's own rule).
 */
export function sqliteStatements(connection: DatabaseSync): Statements {
  const statements = new Map<string, StatementSync>();

  function prepared(text: string): StatementSync {
    const known = statements.get(text);
    if (known) return known;
    // Lists of changing length make new texts for ever, so the map is emptied when it has grown past what is written.
    if (statements.size >= statementsMax) statements.clear();
    // node:sqlite binds values by position only to `?1`; no statement has a dollar sign in a literal.
    const statement = connection.prepare(text.replaceAll(/\$(\d+)/g, '?$1'));
    statements.set(text, statement);
    return statement;
  }

  return {
    async all<R extends object>(text: string, ...values: readonly SqlValue[]) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- rows get their type where they are asked for
      return prepared(text).all(...storableValues(values)) as R[];
    },
    async get<R extends object>(text: string, ...values: readonly SqlValue[]) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- rows get their type where they are asked for
      return prepared(text).get(...storableValues(values)) as R | undefined;
    },
    async run(text, ...values) {
      return Number(prepared(text).run(...storableValues(values)).changes);
    },
  };
}

/** SQLite: cached prepared statements. */
const statementsMax = 2000;
