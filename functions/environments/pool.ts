import type { Environment } from './environment.ts';
import type { StartFailure, Subject } from './subject.ts';

export interface PoolSettings {
  readonly idleMilliseconds: number;
  readonly environmentsMax: number;
  /** The same for the functions of a capacity provider, by its ARN. */
  readonly capacityProviders: ReadonlyMap<string, { readonly environmentsMax: number }>;
  /** Why no function is run on this host; undefined: they are. */
  readonly refusal: string | undefined;
}

/** Environments of one version with one configuration (and one tenant): never of two. */
export interface Pool {
  readonly subject: Subject;
  /** A place for an event in an environment that has room for one; the most recently used last. */
  readonly seats: Member[];
  readonly waiting: ((taken: Taken) => void)[];
  starting: number;
  /** Of those, the ones that are no members yet. */
  making: number;
  retired: boolean;
}

/** An environment that is ready, or was and can be again. */
export interface Member {
  readonly environment: Environment;
  /** Changes once at most: when one that has run for nobody yet becomes a tenant's. */
  pool: Pool;
  /** Events that it works on. */
  busy: number;
  /** Of a clock that only goes forward, in milliseconds. */
  lastUsed: number;
}

export type Taken =
  | { readonly kind: 'taken'; readonly member: Member }
  | { readonly kind: 'failed'; readonly failure: StartFailure };

export type Made =
  | { readonly kind: 'made'; readonly member: Member }
  | { readonly kind: 'failed'; readonly failure: StartFailure };

export function poolKey({ versionId, configurationId, tenantId = '' }: Subject): string {
  return `${versionId} ${configurationId} ${tenantId}`;
}

export function removeSeats(member: Member): void {
  const { seats } = member.pool;
  for (let at = seats.indexOf(member); at >= 0; at = seats.indexOf(member)) seats.splice(at, 1);
}

export function isParked({ busy, environment, pool }: Member): boolean {
  return busy === 0 && pool.seats.some((member) => member.environment === environment);
}

/** The one that nobody has used for the longest; undefined when all are busy or kept. */
export function oldestParked(
  members: Iterable<Member>,
  isKept: (member: Member) => boolean,
): Member | undefined {
  let oldest: Member | undefined;
  for (const member of members) {
    if (!isParked(member) || isKept(member)) continue;
    if (!oldest || member.lastUsed < oldest.lastUsed) oldest = member;
  }
  return oldest;
}

/** Whether an environment is of a capacity provider. */
export function isOn(capacityProvider: string | undefined): (member: Member) => boolean {
  return ({ pool }) => pool.subject.capacityProvider === capacityProvider;
}

/** How many environments are being made there. */
export function makingOn(capacityProvider: string | undefined, pools: Iterable<Pool>): number {
  let count = 0;
  for (const { subject, making } of pools) {
    if (subject.capacityProvider === capacityProvider) count += making;
  }
  return count;
}
