import { invocationsOfChainMax } from '#functions-contract/limits.ts';

import { FunctionsError } from '../errors/functions-error.ts';
import { lineageWith, readLineage, writeLineage } from './lineage.ts';
import type { RecursiveLoop } from './recursion-store.ts';

/** The mark that identifies a function in a chain of requests, and whether recursive loops are allowed. */
export interface ChainMember {
  /** Eight hexadecimal digits. */
  readonly mark: string;
  readonly recursiveLoop: RecursiveLoop;
}

/**
 * The lineage of an invocation, which the function's own requests pass on; `traceHeader` is the caller's. Refuses a function that its
 * chain of requests has invoked too often.
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
