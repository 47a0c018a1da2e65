import type { Database } from './database.ts';

/** Results of reads, cached until the next commit to the database. */
export class ReadCache<T extends object> {
  readonly #database: Pick<Database, 'dataVersion'>;
  readonly #entriesMax: number;
  readonly #entries = new Map<string, T>();
  #dataVersion: number | undefined;

  constructor(database: Pick<Database, 'dataVersion'>, entriesMax: number) {
    this.#database = database;
    this.#entriesMax = entriesMax;
  }

  /** What `read` would return now; what it does not find is read again each time. */
  find(key: string, read: () => Promise<T>): Promise<T>;
  find(key: string, read: () => Promise<T | undefined>): Promise<T | undefined>;
  async find(key: string, read: () => Promise<T | undefined>): Promise<T | undefined> {
    const dataVersion = this.#database.dataVersion();
    if (dataVersion !== this.#dataVersion || this.#entries.size >= this.#entriesMax)
      this.#entries.clear();
    this.#dataVersion = dataVersion;
    const known = this.#entries.get(key);
    if (known) return known;
    const found = await read();
    // What was committed meanwhile may or may not be in it: the next call notices by the data version.
    if (found && dataVersion !== undefined && dataVersion === this.#dataVersion)
      this.#entries.set(key, found);
    return found;
  }
}
