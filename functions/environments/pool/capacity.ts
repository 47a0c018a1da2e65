import type { EnvironmentState } from './pooled-environment.ts';

export interface CapacityLimits {
  /** Environments alive at a time, on this host. */
  readonly environmentsMax: number;
  /** The same for the functions of a capacity provider, by its ARN. */
  readonly capacityProviders: ReadonlyMap<string, { readonly environmentsMax: number }>;
}

/** What has no capacity left: a capacity provider, or the host. */
export type Exhausted = 'provider' | 'host';

/** Environments that start at once: more would only make each of them slower. */
const startsMax = 4;

/** How many environments there are, and whether there may be another. */
export class Capacity {
  readonly #limits: CapacityLimits;
  readonly #ofProviders = new Map<string, number>();
  #alive = 0;
  #starting = 0;

  constructor(limits: CapacityLimits) {
    this.#limits = limits;
  }

  get hasStartSlot(): boolean {
    return this.#starting < startsMax;
  }

  /** What has no capacity left for an environment of this provider (undefined: of none). */
  exhausted(provider: string | undefined): Exhausted | undefined {
    if (provider !== undefined) {
      const limit = this.#limits.capacityProviders.get(provider);
      if (limit && (this.#ofProviders.get(provider) ?? 0) >= limit.environmentsMax) {
        return 'provider';
      }
    }
    return this.#alive >= this.#limits.environmentsMax ? 'host' : undefined;
  }

  /** An environment has changed its state; undefined: there was none before. */
  moved(
    provider: string | undefined,
    from: EnvironmentState | undefined,
    to: EnvironmentState,
  ): void {
    this.#starting += Number(to === 'starting') - Number(from === 'starting');
    const alive = Number(to !== 'closed') - Number(from !== undefined && from !== 'closed');
    this.#alive += alive;
    if (provider === undefined || alive === 0) return;
    const left = (this.#ofProviders.get(provider) ?? 0) + alive;
    if (left === 0) this.#ofProviders.delete(provider);
    else this.#ofProviders.set(provider, left);
  }
}
