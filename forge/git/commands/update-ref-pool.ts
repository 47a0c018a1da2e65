import type { GitRunner } from './run-git.ts';
import { Helper, HelperLost } from './batch-process.ts';
import { HelperPool } from './batch-process-pool.ts';
import { transactionRequest, updateRefArguments } from './update-ref.ts';
import type { RefUpdate } from '../ref-update.ts';

export type TransactionOutcome =
  | 'committed'
  /** git ended the helper over this transaction or over one before it: no ref of it moved. */
  | 'refused'
  /** The helper was killed: the refs may have moved, and its locks may be there. */
  | 'unknown';

/** Moves refs through one long-lived `update-ref` for each repository in use. */
export class UpdateRefPool {
  readonly #runner: GitRunner;
  readonly #pool = new HelperPool({ helpersMax: 32, idleSeconds: 30 });

  constructor(runner: GitRunner) {
    this.#runner = runner;
  }

  /** Does one transaction. */
  async update(
    id: number,
    path: string,
    updates: readonly RefUpdate[],
  ): Promise<TransactionOutcome> {
    const helper = this.#pool.get(id, () => this.#start(path));
    try {
      return await helper.send(transactionRequest(updates));
    } catch (error) {
      if (!(error instanceof HelperLost)) throw error;
      this.#runner.stopAfterFailedSync('update-ref', error.errorText);
      return error.killed ? 'unknown' : 'refused';
    }
  }

  retire(id: number): void {
    this.#pool.retire(id);
  }

  drop(id: number): Promise<void> {
    return this.#pool.drop(id);
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  #start(path: string): Helper {
    const child = this.#runner.start({ arguments: updateRefArguments, repositoryPath: path });
    return new Helper(child, { responseSeconds: 30, maxResponses: 10_000 });
  }
}
