import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';

import type { RuntimeEvent } from '../../../runtime-api/runtime-channel.ts';
import type { VersionSpec } from '../../version-spec.ts';
import type { EnvironmentPool } from '../environment-pool.ts';
import { createEnvironmentPool } from '../create-environment-pool.ts';
import {
  hasFreeSlot,
  isOf,
  isSameGroup,
  isStarting,
  isWaiting,
  type ExpectedEvent,
} from './expected-event.ts';
import { FakeHost, type FakeEnvironment, type Pending } from './fake-environment.ts';
import { testVersionSpec } from './test-version-spec.ts';
import { EnvironmentLostError } from '../../execution-environment.ts';

export interface Action {
  readonly do:
    | 'invoke'
    | 'succeed'
    | 'succeed all'
    | 'fail'
    | 'prewarm'
    | 'provision'
    | 'update'
    | 'lose one'
    | 'lose all';
  /** Which function, environment or pending promise; taken modulo how many there are. */
  readonly of: number;
}

/** The capacity provider of some of the functions, and how many environments it has. */
const provider = 'arn:aws:lambda:us-east-1:123456789012:capacity-provider:small';
const providerMax = 2;
const startsMax = 4;

/** The pool, environments that end as the test says, and what is known of both from outside. */
export class PoolModel {
  readonly #host = new FakeHost();
  readonly #pool: EnvironmentPool;
  readonly #environmentsMax: number;
  readonly #events: ExpectedEvent[] = [];
  readonly #calls: Promise<unknown>[] = [];
  /** One plain, one of two slots, two on the provider, one for two tenants. */
  readonly #specs: VersionSpec[];
  #configurations = 100;
  #isFinishing = false;

  constructor(environmentsMax: number) {
    this.#environmentsMax = environmentsMax;
    this.#pool = createEnvironmentPool(this.#host.create, {
      environmentsMax,
      capacityProviders: new Map([[provider, { environmentsMax: providerMax }]]),
      idleMilliseconds: 3_600_000,
      refusal: undefined,
      onError: () => {},
    });
    this.#specs = [
      testVersionSpec(1),
      testVersionSpec(2, { concurrency: 2 }),
      testVersionSpec(3, { capacityProvider: provider }),
      testVersionSpec(4, { capacityProvider: provider, concurrency: 3 }),
      testVersionSpec(5, { tenantId: 'blue' }),
      testVersionSpec(5, { tenantId: 'green' }),
    ];
    this.#host.onDelivery = (environment, event) => this.#delivered(environment, event);
    this.#host.onCreate = (spec) => this.#created(spec);
    this.#host.onClose = (environment) => this.#closed(environment);
  }

  async apply({ do: call, of }: Action): Promise<void> {
    const waiting = this.#host.waiting;
    const pending = waiting[of % Math.max(1, waiting.length)];
    const alive = this.#alive();
    switch (call) {
      case 'invoke':
        this.#invoke(this.#specAt(of));
        break;
      case 'succeed':
        pending?.succeed();
        break;
      case 'succeed all':
        await this.#runOut();
        break;
      case 'fail':
        if (pending) this.#fail(pending, of);
        break;
      case 'prewarm':
        this.#calls.push(this.#pool.prewarm(ahead(this.#specAt(of))));
        break;
      case 'provision':
        this.#calls.push(this.#pool.ensureProvisioned(this.#specAt(of), of % 2));
        break;
      case 'update':
        this.#update(this.#specAt(of));
        break;
      case 'lose one': {
        const one = alive[of % Math.max(1, alive.length)];
        if (one) this.#lose(one);
        break;
      }
      case 'lose all':
        alive.forEach((environment) => this.#lose(environment));
    }
    await quiet();
  }

  /** What holds whenever nothing moves. */
  check(): void {
    const starting = this.#alive().filter(isStarting);
    assert.ok(starting.length <= startsMax, `${starting.length} environments start at once.`);
    const waiters = this.#events.filter(isWaiting);
    for (const waiter of waiters) this.#checkWaiter(waiter, starting);
    for (const idle of this.#alive().filter((one) => hasFreeSlot(one) && one.events.size === 0)) {
      const isWanted = waiters.some(({ spec }) => isOf(idle, spec));
      assert.ok(isWanted || !this.#isOutdated(idle.spec), 'An outdated environment is idle.');
    }
    assert.deepEqual(this.problems(), []);
  }

  problems(): string[] {
    return this.#host.broken;
  }

  /** Everything that is pending ends well; then everybody was answered, and everything can be done again. */
  async finish(): Promise<void> {
    await this.#runOut();
    for (const { answer, event } of this.#events) {
      assert.ok(answer, `Event ${event.requestId} was never answered.`);
    }
    await Promise.all(this.#calls);
    for (const spec of this.#specs) await this.#pool.ensureProvisioned(spec, 0);
    const again = this.#specs.map((spec) => this.#invoke(spec));
    await this.#runOut();
    for (const { answer } of again) assert.equal(answer?.kind, 'answered');
    this.#isFinishing = true;
    const closed = this.#pool.close();
    await this.#runOut();
    await closed;
    assert.deepEqual(this.#alive(), []);
    const late = this.#invoke(testVersionSpec(1));
    await quiet();
    assert.equal(late.answer?.kind, 'not-started');
  }

  #invoke(spec: VersionSpec): ExpectedEvent {
    const event = { ...someEvent, requestId: `event-${this.#events.length}` };
    const expected: ExpectedEvent = {
      event,
      spec,
      deliveries: 0,
      answer: undefined,
    };
    this.#events.push(expected);
    this.#pool.runEvent(spec, event).then(
      (answer) => {
        expected.answer = answer;
        // A report that fails is the pool's to survive.
        if (answer.kind === 'answered') answer.logTail.catch(() => {});
      },
      (error: unknown) => this.#host.broken.push(`An invocation was rejected: ${String(error)}`),
    );
    return expected;
  }

  /** The function gets another configuration. */
  #update({ versionId }: VersionSpec): void {
    this.#configurations += 1;
    const configurationId = this.#configurations;
    for (const [index, spec] of this.#specs.entries()) {
      if (spec.versionId === versionId) this.#specs[index] = { ...spec, configurationId };
    }
    this.#pool.drain(versionId, configurationId);
  }

  /** The process that runs it dies: what it was asked for is rejected, then the pool hears of it. */
  #lose(environment: FakeEnvironment): void {
    const own = this.#host.waiting.filter((pending) => pending.environment === environment);
    for (const pending of own) {
      if (pending.call === 'close') pending.succeed();
      else pending.fail(new EnvironmentLostError(pending.call === 'invoke'));
    }
    environment.lose();
  }

  #fail(pending: Pending, of: number): void {
    const isUndelivered = pending.call === 'invoke' && of % 2 === 0;
    const expected = this.#events.find(({ event }) => event === pending.event);
    // Another environment may then have the event.
    if (isUndelivered && expected) expected.deliveries = 0;
    pending.fail(isUndelivered ? new EnvironmentLostError(false) : new Error('no such device'));
  }

  #specAt(of: number): VersionSpec {
    return this.#specs[of % this.#specs.length] ?? testVersionSpec(1);
  }

  #alive(): FakeEnvironment[] {
    return [...this.#host.environments].filter(
      ({ isClosed, state }) => !isClosed && state !== 'gone',
    );
  }

  #created(spec: VersionSpec): void {
    if (spec.provisioned === true) return;
    const alive = this.#alive();
    const ofProvider = alive.filter((one) => one.spec.capacityProvider === provider);
    if (alive.length > this.#environmentsMax) {
      this.#host.broken.push('An event had an environment started beyond the maximum.');
    }
    if (spec.capacityProvider === provider && ofProvider.length > providerMax) {
      this.#host.broken.push('An event had an environment started beyond the provider’s maximum.');
    }
  }

  #delivered(environment: FakeEnvironment, event: RuntimeEvent): void {
    const expected = this.#events.find((one) => one.event.requestId === event.requestId);
    if (!expected) return;
    expected.deliveries += 1;
    if (expected.deliveries > 1) this.#host.broken.push('An event was delivered twice.');
    const older = this.#events.find((one) => isWaiting(one) && isSameGroup(one, expected));
    if (
      older &&
      older !== expected &&
      this.#events.indexOf(older) < this.#events.indexOf(expected)
    ) {
      this.#host.broken.push('An event overtook an older one of its function.');
    }
    const tenants = new Set([environment.spec.tenantId, expected.spec.tenantId]);
    if (environment.spec.configurationId !== expected.spec.configurationId) {
      this.#host.broken.push('An event ran with another configuration.');
    }
    if (environment.spec.tenantId !== undefined && tenants.size > 1) {
      this.#host.broken.push('Two tenants shared an environment.');
    }
  }

  /** An environment that is of use is only given up where another is needed. */
  #closed({ spec, state, events, hasFailed }: FakeEnvironment): void {
    if (state !== 'ready' || hasFailed || this.#isFinishing || this.#isOutdated(spec)) return;
    const alive = this.#alive();
    const ofProvider = alive.filter((one) => one.spec.capacityProvider === provider);
    const isProviderFull = spec.capacityProvider === provider && ofProvider.length >= providerMax;
    if (events.size > 0 || (!isProviderFull && alive.length < this.#environmentsMax)) {
      this.#host.broken.push('An environment was given up for nothing.');
    }
  }

  #isOutdated({ versionId, configurationId }: VersionSpec): boolean {
    const now = this.#specs.find((spec) => spec.versionId === versionId);
    return now?.configurationId !== configurationId;
  }

  #checkWaiter(waiter: ExpectedEvent, starting: readonly FakeEnvironment[]): void {
    const id = waiter.event.requestId;
    const alive = this.#alive();
    const own = alive.filter((one) => isOf(one, waiter.spec));
    const free = own.filter(hasFreeSlot);
    assert.equal(free.length, 0, `Event ${id} waits although a slot of its function is free.`);
    const line = this.#events.filter((one) => isWaiting(one) && isSameGroup(one, waiter));
    const onTheirWay = own.filter(isStarting).length * (waiter.spec.concurrency ?? 1);
    if (line.indexOf(waiter) < onTheirWay || starting.length === startsMax) return;
    const { capacityProvider } = waiter.spec;
    const ofProvider = alive.filter((one) => one.spec.capacityProvider === capacityProvider);
    const isProviderFull = capacityProvider === provider && ofProvider.length >= providerMax;
    const isHostFull = alive.length >= this.#environmentsMax;
    assert.ok(isProviderFull || isHostFull, `Event ${id} waits although there is capacity.`);
  }

  async #runOut(): Promise<void> {
    for (let round = 0; round < 5000; round += 1) {
      await quiet();
      const pending = this.#host.waiting[0];
      if (!pending) return;
      pending.succeed();
    }
    assert.fail('It goes on for ever.');
  }
}

/** Marks what is started ahead, which may go beyond the maximum. */
function ahead(spec: VersionSpec): VersionSpec {
  return { ...spec, provisioned: true };
}

/** Until every promise that can settle by itself has. */
async function quiet(): Promise<void> {
  for (let round = 0; round < 5; round += 1) await turn();
}

const someEvent: Omit<RuntimeEvent, 'requestId'> = {
  functionArn: 'arn:aws:lambda:us-east-1:123456789012:function:f',
  traceHeader: 'Root=1-0-0',
  payload: Buffer.from('{}'),
};
