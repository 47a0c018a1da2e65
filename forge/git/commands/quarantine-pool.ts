import { join } from 'node:path';

import { systemRandom } from '#platform/random.ts';

import type { RepositoryPaths } from './repository-paths.ts';
import { BatchProcessPool } from './batch-process.ts';
import { Quarantine } from './quarantine.ts';
import type { QuarantinePorts } from './quarantine.ts';

/** One quarantine, with its long-lived `merge-tree`, for each repository in use. */
export class QuarantinePool extends BatchProcessPool<Quarantine> {
  readonly #ports: QuarantinePorts;
  readonly #paths: RepositoryPaths;

  constructor(ports: QuarantinePorts, paths: RepositoryPaths) {
    super({ processesMax: 16, idleSeconds: 60 });
    this.#ports = ports;
    this.#paths = paths;
  }

  use<T>(id: number, path: string, work: (quarantine: Quarantine) => Promise<T>): Promise<T> {
    const quarantine = this.get(id, () => {
      // On the file system of the repositories, and emptied by every start.
      const folder = join(this.#paths.arriving, `quarantine-${systemRandom.id()}`);
      return new Quarantine(this.#ports, path, folder);
    });
    return quarantine.use(() => work(quarantine));
  }
}
