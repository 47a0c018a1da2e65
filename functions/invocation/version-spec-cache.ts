import type { Database } from '#platform/database/database.ts';

import type { VersionSpec } from '../environments/version-spec.ts';
import { findVersionSpec, type Invocable } from './invocation-store.ts';

type Served = Pick<Invocable, 'versionId' | 'servingId'>;

/** Configurations kept at hand; each is a few kilobytes. */
const entriesMax = 2000;

/** What versions serve with, kept at hand: a configuration never changes under its id, so nothing kept is ever stale. */
export class VersionSpecCache {
  readonly #database: Database;
  readonly #kept = new Map<string, VersionSpec>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** What a version serves with; undefined while it was never provisioned, and once it is gone. */
  async of({ versionId, servingId }: Served): Promise<VersionSpec | undefined> {
    if (servingId === undefined) return undefined;
    const key = `${versionId} ${servingId}`;
    const cached = this.#kept.get(key);
    if (cached) return cached;
    const spec = await this.#database.read((sql) => findVersionSpec(sql, versionId, servingId));
    if (!spec) return undefined;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size < entriesMax) break;
      this.#kept.delete(oldest);
    }
    this.#kept.set(key, spec);
    return spec;
  }
}
