import type { Database, Sql } from '#platform/database/database.ts';
import { ReadCache } from '#platform/database/read-cache.ts';
import type { Random } from '#platform/random.ts';

import type { FunctionReference } from '../model/function-name.ts';
import type { Invocable } from './invocation-store.ts';
import { chosenBy, findTarget, namesAlias, type Target } from './invoke-target.ts';

/** The most cached targets, of some hundred bytes each. */
const entriesMax = 5000;

/** Finds the targets of invocations; never returns stale ones. */
export class Targets {
  readonly #database: Database;
  readonly #cache: ReadCache<Target>;
  readonly #random: Random;

  constructor(database: Database, random: Random) {
    this.#database = database;
    this.#cache = new ReadCache(database, entriesMax);
    this.#random = random;
  }

  async find(reference: FunctionReference): Promise<Invocable | undefined> {
    const key = `${reference.name} ${reference.qualifier ?? ''}`;
    const target = await this.#cache.find(key, () => this.#read(reference));
    return target && chosenBy(target, target.other ? this.#random.fraction() : 0);
  }

  #read(reference: FunctionReference): Promise<Target | undefined> {
    const find = (sql: Sql): Promise<Target | undefined> => findTarget(sql, reference);
    return namesAlias(reference) ? this.#database.read(find) : this.#database.readOne(find);
  }
}
