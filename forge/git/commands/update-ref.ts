import { nullTerminated } from '#platform/null-terminated.ts';
import { noObject } from '../names.ts';
import type { BatchRequest } from './batch-process.ts';
import type { RefUpdate } from '../ref-update.ts';

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
export function transactionRequest(updates: readonly RefUpdate[]): BatchRequest<'committed'> {
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
