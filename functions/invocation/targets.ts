import type { Database } from '#platform/database.ts';
import { KeptReads } from '#platform/kept-reads.ts';
import type { Random } from '#platform/random.ts';

import type { FunctionReference } from '../identity/function-name.ts';
import type { Invocable } from './invocation-store.ts';
import { chosenBy, findTarget, type Target } from './invoke-target.ts';

/** Targets kept at hand; each is some hundred bytes. */
const keptMax = 5000;

/** Finds what invocations run, as the database has it now. */
export class Targets {
  readonly #kept: KeptReads<Target>;
  readonly #random: Random;

  constructor(database: Database, random: Random) {
    this.#kept = new KeptReads(database, keptMax);
    this.#random = random;
  }

  async find(reference: FunctionReference): Promise<Invocable | undefined> {
    const key = `${reference.name} ${reference.qualifier ?? ''}`;
    const target = await this.#kept.find(key, (sql) => findTarget(sql, reference));
    return target && chosenBy(target, target.other ? this.#random.fraction() : 0);
  }
}
