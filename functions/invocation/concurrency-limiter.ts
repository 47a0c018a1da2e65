import { concurrencyOfAccountMax } from '#functions-contract/limits.ts';

import type { HomeNodes } from '../ports/home-nodes.ts';

/** Why an invocation is throttled, by AWS's names. */
export type ThrottleReason =
  | 'ReservedFunctionConcurrentInvocationLimitExceeded'
  | 'ConcurrentInvocationLimitExceeded';

export interface Concurrency {
  readonly functionId: number;
  readonly versionId: number;
  readonly reservedConcurrency: number | undefined;
  /** Of all functions together. */
  readonly reservedInAll: number;
  /** Provisioned concurrency of this version, and of all versions of the function; counted only within a reservation. */
  readonly provisioned: number;
  readonly provisionedInAll: number;
}

export type InvocationStart =
  | { readonly kind: 'started'; /** Must be called once. */ end(this: void): void }
  | { readonly kind: 'throttled'; readonly reason: ThrottleReason };

/** Counts concurrent invocations: a function is limited to its reservation, the others share the rest. */
export class ConcurrencyLimiter {
  readonly #homes: Pick<HomeNodes, 'count'>;
  /** Invocations on provisioned concurrency. */
  readonly #ofVersions = new Count();
  /** Invocations on the rest of a reservation. */
  readonly #ofFunctions = new Count();
  #unreserved = 0;

  constructor(homes: Pick<HomeNodes, 'count'>) {
    this.#homes = homes;
  }

  begin(of: Concurrency): InvocationStart {
    const { functionId, versionId, reservedConcurrency } = of;
    if (reservedConcurrency === undefined) return this.#beginUnreserved(of);
    if (this.#ofVersions.get(versionId) < of.provisioned) return this.#ofVersions.begin(versionId);
    // Versions do not share provisioned concurrency: if all of the reservation is provisioned, nothing is left (recorded).
    if (this.#ofFunctions.get(functionId) < reservedConcurrency - of.provisionedInAll) {
      return this.#ofFunctions.begin(functionId);
    }
    return { kind: 'throttled', reason: 'ReservedFunctionConcurrentInvocationLimitExceeded' };
  }

  #beginUnreserved({ reservedInAll }: Concurrency): InvocationStart {
    // Each server has an equal share of what functions share.
    if (
      this.#unreserved >= Math.ceil((concurrencyOfAccountMax - reservedInAll) / this.#homes.count)
    ) {
      return { kind: 'throttled', reason: 'ConcurrentInvocationLimitExceeded' };
    }
    this.#unreserved += 1;
    return {
      kind: 'started',
      end: () => {
        this.#unreserved -= 1;
      },
    };
  }
}

class Count {
  readonly #running = new Map<number, number>();

  get(id: number): number {
    return this.#running.get(id) ?? 0;
  }

  begin(id: number): InvocationStart {
    this.#running.set(id, this.get(id) + 1);
    return {
      kind: 'started',
      end: () => {
        const left = this.get(id) - 1;
        if (left === 0) this.#running.delete(id);
        else this.#running.set(id, left);
      },
    };
  }
}
