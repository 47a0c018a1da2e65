import type { Database, Sql } from './database.ts';

/** What was read from the database, kept for as long as nobody has written anything to it. */
export class KeptReads<T extends object> {
  readonly #database: Database;
  readonly #keptMax: number;
  readonly #kept = new Map<string, T>();
  #revision: number | undefined;

  constructor(database: Database, keptMax: number) {
    this.#database = database;
    this.#keptMax = keptMax;
  }

  /** As `read` would answer now; what it does not find is looked for again each time. */
  async find(key: string, read: (sql: Sql) => Promise<T | undefined>): Promise<T | undefined> {
    const revision = this.#database.revision();
    if (revision !== this.#revision || this.#kept.size >= this.#keptMax) this.#kept.clear();
    this.#revision = revision;
    const known = this.#kept.get(key);
    if (known) return known;
    const found = await this.#database.read(read);
    // What was committed meanwhile may or may not be in it: the next call tells by the revision.
    if (found && revision !== undefined && revision === this.#revision) this.#kept.set(key, found);
    return found;
  }
}
