import type { Database } from '#platform/database/database.ts';
import { traced } from '#platform/tracing.ts';

/** A span for each transaction. */
export function tracedDatabase(database: Database): Database {
  const attributes = { 'db.system.name': database.engine === 'sqlite' ? 'sqlite' : 'postgresql' };
  return {
    ...database,
    read: (work) => traced('read transaction', attributes, () => database.read(work)),
    readOne: (work) => traced('read statement', attributes, () => database.readOne(work)),
    write: (work, options) =>
      traced('write transaction', attributes, () => database.write(work, options)),
  };
}
