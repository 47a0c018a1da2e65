import { createHash } from 'node:crypto';

import { invocationsOfChainMax } from '#functions-contract/limits.ts';

import { FunctionsError } from '../errors/functions-error.ts';

/** Functions of a chain of requests, by their hashes, and how often each was invoked in it; the last one invoked is the last. */
type Lineage = ReadonlyMap<string, number>;

/**
 * Functions of a chain of requests that are remembered; those invoked longest ago are forgotten first, so that the header stays
 * small enough to be passed on.
 */
const functionsMax = 32;

/** Count of one function in a chain that is let run on; it stays there. */
const countMax = 99_999;

/** Reads the lineage of an untrusted trace header: `<hash>:<count>|<hash>:<count>`. Invalid parts are omitted. */
export function readLineage(traceHeader: string): Lineage {
  const part = /(?:^|;)\s*lineage=([^;]*)/i.exec(traceHeader)?.[1] ?? '';
  const lineage = new Map<string, number>();
  for (const [, functionHash = '', count] of part.matchAll(
    /(?<=^|\|)([0-9a-f]{8}):(\d{1,5})(?=$|\|)/g,
  )) {
    lineage.set(functionHash, Math.max(lineage.get(functionHash) ?? 0, Number(count)));
  }
  return lineage;
}

/** The chain with one more invocation. */
function lineageWith(lineage: Lineage, functionHash: string): Lineage {
  const next = new Map(lineage);
  next.delete(functionHash);
  next.set(functionHash, Math.min((lineage.get(functionHash) ?? 0) + 1, countMax));
  return new Map([...next].slice(-functionsMax));
}

export function writeLineage(lineage: Lineage): string {
  return [...lineage].map(([functionHash, count]) => `${functionHash}:${count}`).join('|');
}

/** The hash that stands for a function in a lineage, other than that of a deleted one of the same name. */
export function functionHashOf(name: string, functionId: number): string {
  return createHash('sha256').update(`${name} ${functionId}`).digest('hex').slice(0, 8);
}

/** Whether recursive loops of a function are terminated or allowed. */
export type RecursiveLoop = 'Terminate' | 'Allow';

/** The hash that identifies a function in a chain of requests, and whether recursive loops are allowed. */
export interface ChainMember {
  /** Eight hexadecimal digits. */
  readonly functionHash: string;
  readonly recursiveLoop: RecursiveLoop;
}

/**
 * The lineage of an invocation, which the function's own requests pass on; `traceHeader` is the caller's. Refuses a function that its
 * chain of requests has invoked too often.
 */
export function joinChain(
  { functionHash, recursiveLoop }: ChainMember,
  traceHeader: string | undefined,
): string {
  if (traceHeader === undefined) return `${functionHash}:1`;
  const lineage = readLineage(traceHeader);
  if (recursiveLoop === 'Terminate' && (lineage.get(functionHash) ?? 0) >= invocationsOfChainMax) {
    throw new FunctionsError(
      'RecursiveInvocationException',
      `Recursive loop: this chain of requests has invoked the function ${invocationsOfChainMax} times. To allow it, set RecursiveLoop to Allow with PutFunctionRecursionConfig.`,
    );
  }
  return writeLineage(lineageWith(lineage, functionHash));
}
