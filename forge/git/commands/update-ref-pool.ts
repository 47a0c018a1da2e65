import type { GitRunner } from './run-git.ts';
import { BatchProcess, BatchProcessLost, BatchProcessPool } from './batch-process.ts';
import { transactionRequest, updateRefArguments } from './update-ref.ts';
import type { RefUpdate } from '../ref-update.ts';

export type TransactionOutcome =
  | 'committed'
  /** git ended the batch process over this transaction or over one before it: no ref of it moved. */
  | 'refused'
  /** The batch process was killed: the refs may have moved, and its locks may be there. */
  | 'unknown';

/** Moves refs through one long-lived `update-ref` for each repository in use. */
export class UpdateRefPool {
  readonly #runner: GitRunner;
  readonly #pool = new BatchProcessPool({ processesMax: 32, idleSeconds: 30 });

  constructor(runner: GitRunner) {
    this.#runner = runner;
  }

  /** Does one transaction. */
  async update(
    id: number,
    path: string,
    updates: readonly RefUpdate[],
  ): Promise<TransactionOutcome> {
    const batch = this.#pool.get(id, () => this.#start(path));
    try {
      return await batch.send(transactionRequest(updates));
    } catch (error) {
      if (!(error instanceof BatchProcessLost)) throw error;
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

  #start(path: string): BatchProcess {
    const child = this.#runner.start({ arguments: updateRefArguments, repositoryPath: path });
    return new BatchProcess(child, { responseSeconds: 30, maxResponses: 10_000 });
  }
}
