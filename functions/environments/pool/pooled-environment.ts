import type { EnvironmentGroup } from './environment-group.ts';
import type { ExecutionEnvironment } from '../execution-environment.ts';

export type EnvironmentState =
  /** Being created and initialised: it counts against the maximum and against the starts at a time. */
  | 'starting'
  /** Waits for an event. It may be evicted for another function, or closed because nobody invokes it. */
  | 'idle'
  /** Works on one event or several. */
  | 'busy'
  /** Works on its last events: its configuration is no longer the function's. */
  | 'draining'
  /** Its capacity is free; what it held is being removed. */
  | 'closed';

/** The whole life of an environment; ARCHITECTURE.md has it as a picture. */
const transitions: Readonly<Record<EnvironmentState, readonly EnvironmentState[]>> = {
  starting: ['idle', 'closed'],
  idle: ['busy', 'draining', 'closed'],
  busy: ['busy', 'idle', 'draining', 'closed'],
  draining: ['draining', 'idle', 'closed'],
  closed: [],
};

/** One execution environment as the pool accounts for it. */
export class PooledEnvironment {
  /** Changes once at most: when an environment that has run no event yet is assigned to a tenant. */
  group: EnvironmentGroup;
  /** Undefined until it is created. */
  environment: ExecutionEnvironment | undefined;
  /** Slots that are taken: the events that it works on. */
  inUse = 0;
  /** Of a clock that only goes forward, in milliseconds. */
  lastUsedAt = performance.now();
  #state: EnvironmentState = 'starting';

  constructor(group: EnvironmentGroup) {
    this.group = group;
  }

  get state(): EnvironmentState {
    return this.#state;
  }

  get hasFreeSlot(): boolean {
    const { group } = this;
    return (
      this.#state !== 'starting' &&
      this.#state !== 'closed' &&
      this.inUse < group.slotsPerEnvironment
    );
  }

  /** For the pool's one transition function only: it keeps the accounts that go with the state. */
  enter(state: EnvironmentState, inUse: number): void {
    if (!transitions[this.#state].includes(state)) {
      throw new Error(`An execution environment cannot become ${state}: it is ${this.#state}.`);
    }
    this.#state = state;
    this.inUse = inUse;
    this.lastUsedAt = performance.now();
  }
}
