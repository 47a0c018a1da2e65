import type { Database } from '#platform/database/database.ts';

import type { VersionSpec } from '../environments/version-spec.ts';
import { findVersionSpec, type Invocable } from './invocation-store.ts';

type Served = Pick<Invocable, 'versionId' | 'activeId'>;

/** The most cached configurations, of a few kilobytes each. */
const entriesMax = 2000;

/** A cache of active configurations: a configuration never changes under its id, so no entry is ever stale. */
export class VersionSpecCache {
  readonly #database: Database;
  readonly #cache = new Map<string, VersionSpec>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** The active configuration of a version; undefined if it was never provisioned, or was deleted. */
  async of({ versionId, activeId }: Served): Promise<VersionSpec | undefined> {
    if (activeId === undefined) return undefined;
    const key = `${versionId} ${activeId}`;
    const cached = this.#cache.get(key);
    if (cached) return cached;
    const spec = await this.#database.read((sql) => findVersionSpec(sql, versionId, activeId));
    if (!spec) return undefined;
    for (const oldest of this.#cache.keys()) {
      if (this.#cache.size < entriesMax) break;
      this.#cache.delete(oldest);
    }
    this.#cache.set(key, spec);
    return spec;
  }
}
