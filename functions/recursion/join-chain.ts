import { invocationsOfChainMax } from '#functions-contract/limits.ts';

import { FunctionsError } from '../errors/functions-error.ts';
import { lineageWith, readLineage, writeLineage } from './lineage.ts';
import type { RecursiveLoop } from './recursion-store.ts';

/** What of a function tells it from the others of a chain of requests, and whether it may come back in one without end. */
export interface ChainMember {
  /** Eight hexadecimal digits. */
  readonly mark: string;
  readonly recursiveLoop: RecursiveLoop;
}

/**
 * The lineage of an invocation, as the function's own requests carry it on; `traceHeader` is of whoever invokes. Refuses a
 * function that its chain of requests has come back to too often.
 */
export function joinChain(
  { mark, recursiveLoop }: ChainMember,
  traceHeader: string | undefined,
): string {
  if (traceHeader === undefined) return `${mark}:1`;
  const lineage = readLineage(traceHeader);
  if (recursiveLoop === 'Terminate' && (lineage.get(mark) ?? 0) >= invocationsOfChainMax) {
    throw new FunctionsError(
      'RecursiveInvocationException',
      `Recursive loop: this chain of requests has invoked the function ${invocationsOfChainMax} times. To allow it, set RecursiveLoop to Allow with PutFunctionRecursionConfig.`,
    );
  }
  return writeLineage(lineageWith(lineage, mark));
}
