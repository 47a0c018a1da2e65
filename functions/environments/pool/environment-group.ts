import type { Subject } from '../subject.ts';
import type { PooledEnvironment } from './pooled-environment.ts';

/** The environments of one version with one configuration (and one tenant): events of no other run in them. */
export class EnvironmentGroup {
  readonly subject: Subject;
  /** Events that one environment works on at a time. */
  readonly slotsPerEnvironment: number;
  /** All that are alive. */
  readonly environments = new Set<PooledEnvironment>();
  /** Of those, the ones with a free slot; the most recently used last. */
  readonly #available: PooledEnvironment[] = [];
  /** Of those, the ones that are starting. */
  starting = 0;
  /** Provisioned concurrency: so many environments are never evicted or closed for being idle. */
  minimum = 0;
  /** The function has another configuration now: only events that wait already are still taken. */
  draining = false;

  constructor(subject: Subject) {
    this.subject = subject;
    this.slotsPerEnvironment = subject.concurrency ?? 1;
  }

  /** The one with a free slot that was used last, so that those in excess grow old. */
  get available(): PooledEnvironment | undefined {
    return this.#available.at(-1);
  }

  /** Whether one of its idle environments may be given up. */
  get exceedsMinimum(): boolean {
    return this.environments.size - this.starting > this.minimum;
  }

  get isEmpty(): boolean {
    return this.environments.size === 0 && this.minimum === 0;
  }

  add(pooled: PooledEnvironment): void {
    this.environments.add(pooled);
    if (pooled.state === 'starting') this.starting += 1;
    this.refresh(pooled);
  }

  remove(pooled: PooledEnvironment): void {
    this.environments.delete(pooled);
    this.#takeFromAvailable(pooled);
  }

  /** After its state or its slots have changed. */
  refresh(pooled: PooledEnvironment): void {
    this.#takeFromAvailable(pooled);
    if (pooled.hasFreeSlot) this.#available.push(pooled);
  }

  #takeFromAvailable(pooled: PooledEnvironment): void {
    // The one that is used is the last one most of the time.
    const at = this.#available.lastIndexOf(pooled);
    if (at >= 0) this.#available.splice(at, 1);
  }
}

export function groupKey({ versionId, configurationId, tenantId = '' }: Subject): string {
  return `${versionId} ${configurationId} ${tenantId}`;
}

/** The group of environments that were started before it was known for which tenant; undefined for functions without tenants. */
export function unassignedGroupKey({ tenantId, ...subject }: Subject): string | undefined {
  return tenantId === undefined ? undefined : groupKey(subject);
}
