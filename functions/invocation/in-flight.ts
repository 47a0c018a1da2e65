import { concurrencyOfAccount } from '#functions-contract/limits.ts';

/** Why an invocation cannot begin now, as the service names it. */
export type ThrottleReason =
  | 'ReservedFunctionConcurrentInvocationLimitExceeded'
  | 'ConcurrentInvocationLimitExceeded';

export interface Concurrency {
  readonly functionId: number;
  readonly reservedConcurrency: number | undefined;
  /** Of all functions together. */
  readonly reservedInAll: number;
}

/** Counts invocations under way: a function with a reservation has that much and no more, the others share what is left. */
export class InFlight {
  readonly #ofFunctions = new Map<number, number>();
  #unreserved = 0;

  /** Undefined when it may begin; then `end` must be called once. */
  begin({
    functionId,
    reservedConcurrency,
    reservedInAll,
  }: Concurrency): ThrottleReason | undefined {
    const running = this.#ofFunctions.get(functionId) ?? 0;
    if (reservedConcurrency !== undefined) {
      if (running >= reservedConcurrency)
        return 'ReservedFunctionConcurrentInvocationLimitExceeded';
    } else if (this.#unreserved >= concurrencyOfAccount - reservedInAll) {
      return 'ConcurrentInvocationLimitExceeded';
    } else {
      this.#unreserved += 1;
    }
    this.#ofFunctions.set(functionId, running + 1);
    return undefined;
  }

  /** `begun` is what `begin` was given. */
  end({ functionId, reservedConcurrency }: Concurrency): void {
    if (reservedConcurrency === undefined) this.#unreserved -= 1;
    const running = (this.#ofFunctions.get(functionId) ?? 1) - 1;
    if (running === 0) this.#ofFunctions.delete(functionId);
    else this.#ofFunctions.set(functionId, running);
  }
}
