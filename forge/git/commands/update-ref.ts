import { nullTerminated } from '#platform/null-terminated.ts';

import { noObject } from '../names.ts';
import type { RefUpdate } from '../ref-update.ts';
import { BatchProcess, BatchProcessLost, BatchProcessPool } from './batch-process.ts';
import type { BatchRequest } from './batch-process.ts';
import type { GitRunner } from './run-git.ts';

export type TransactionOutcome =
  | 'committed'
  /** git ended the batch process over this transaction or over one before it: no ref of it moved. */
  | 'refused'
  /** The batch process was killed: the refs may have moved, and its locks may be there. */
  | 'unknown';

/** Moves refs through one long-lived `update-ref` for each repository in use. */
export class UpdateRefPool extends BatchProcessPool {
  readonly #runner: GitRunner;

  constructor(runner: GitRunner) {
    super({ processesMax: 32, idleSeconds: 30 });
    this.#runner = runner;
  }

  /** Does one transaction. */
  async update(
    id: number,
    path: string,
    updates: readonly RefUpdate[],
  ): Promise<TransactionOutcome> {
    const batch = this.get(id, () => this.#start(path));
    try {
      return await batch.send(transactionRequest(updates));
    } catch (error) {
      if (!(error instanceof BatchProcessLost)) throw error;
      this.#runner.stopAfterFailedSync('update-ref', error.errorText);
      return error.killed ? 'unknown' : 'refused';
    }
  }

  #start(path: string): BatchProcess {
    const child = this.#runner.start({ arguments: updateRefArguments, repositoryPath: path });
    return new BatchProcess(child, { responseSeconds: 30, maxResponses: 10_000 });
  }
}

/**
 * The command that moves refs, one transaction after the other. It ends at the first one that it
 * cannot do.
 */
export const updateRefArguments: readonly string[] = ['update-ref', '--no-deref', '--stdin', '-z'];

const steps = ['start', 'prepare', 'commit'];
const newline = 0x0a;

/** A whole transaction as the command reads it. */
export function formatTransaction(updates: readonly RefUpdate[]): string {
  return nullTerminated(['start', ...updates.flatMap(formatUpdate), 'prepare', 'commit']);
}

/**
 * Asks for a transaction. Each of its steps is confirmed with a line; anything else ends the batch
 * process.
 */
function transactionRequest(updates: readonly RefUpdate[]): BatchRequest<'committed'> {
  let confirmed = 0;
  return {
    line: formatTransaction(updates),
    read(arrived) {
      while (confirmed < steps.length) {
        const line = arrived.takeUntil(newline)?.toString();
        if (line === undefined) return undefined;
        if (line !== `${steps[confirmed] ?? ''}: ok`)
          throw new Error(`not a confirmation: ${line}`);
        confirmed += 1;
      }
      return { response: 'committed' };
    },
  };
}

/** An empty old value means that none is compared. */
function formatUpdate({ ref, old, new: next }: RefUpdate): string[] {
  if (old === next) return [`verify ${ref}`, next];
  return next === noObject ? [`delete ${ref}`, old ?? ''] : [`update ${ref}`, next, old ?? ''];
}
