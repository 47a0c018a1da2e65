import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers';

import type { RuntimeEvent } from '../../../runtime-api/runtime-channel.ts';
import type { VersionSpec } from '../../version-spec.ts';
import { createEnvironmentPool } from '../create-environment-pool.ts';
import type { EnvironmentPool, EventOutcome, PoolSettings } from '../environment-pool.ts';
import { FakeHost, type Pending } from './fake-environment.ts';

export interface TestPool {
  readonly pool: EnvironmentPool;
  readonly host: FakeHost;
  readonly faults: readonly unknown[];
  invoke(spec: VersionSpec): RuntimeEvent;
  outcomeOf(event: RuntimeEvent): EventOutcome | undefined;
  outcomes(): EventOutcome[];
  kinds(): string[];
  pending(what: Pending['call']): Pending[];
  /** Lets an environment be created and initialised. */
  started(): Promise<void>;
  /** Lets an event, which must be at an environment, be answered and reported. */
  answer(event: RuntimeEvent): Promise<void>;
  quiet(): Promise<void>;
  /** What a promise has come to; fails at once where it waits for something that the test has not done. */
  settled<T>(promise: Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** A pool whose environments do what the test says, when it says so. */
export function testPool(settings: Partial<PoolSettings>): TestPool {
  const host = new FakeHost();
  const faults: unknown[] = [];
  const outcomes = new Map<RuntimeEvent, EventOutcome | undefined>();
  const pool = createEnvironmentPool(host.create, {
    environmentsMax: 10,
    capacityProviders: new Map(),
    idleMilliseconds: 3_600_000,
    refusal: undefined,
    onError: (error) => faults.push(error),
    ...settings,
  });
  const pending = (what: Pending['call']): Pending[] =>
    host.waiting.filter((entry) => entry.call === what);
  const complete = async (what: Pending['call'], event?: RuntimeEvent): Promise<void> => {
    await quiet();
    const entry = pending(what).find((candidate) => candidate.event === event);
    assert.ok(entry, `Nothing waits for ${what}.`);
    entry.succeed();
    await quiet();
  };
  return {
    pool,
    host,
    faults,
    pending,
    quiet,
    settled,
    invoke(spec) {
      const event = { ...someEvent, requestId: `event ${outcomes.size}` };
      outcomes.set(event, undefined);
      pool.runEvent(spec, event).then((outcome) => {
        outcomes.set(event, outcome);
        if (outcome.kind === 'answered') outcome.logTail.catch(() => {});
      });
      return event;
    },
    outcomeOf: (event) => outcomes.get(event),
    outcomes: () => [...outcomes.values()].filter((outcome) => outcome !== undefined),
    kinds: () => [...outcomes.values()].flatMap((outcome) => (outcome ? [outcome.kind] : [])),
    async started() {
      await complete('create');
      await complete('initialise');
    },
    async answer(event) {
      await complete('invoke', event);
      await complete('report', event);
    },
    async close() {
      const closed = pool.close();
      for (await quiet(); host.waiting.length > 0; await quiet()) host.waiting[0]?.succeed();
      await settled(closed);
      assert.deepEqual(host.broken, []);
    },
  };
}

async function settled<T>(promise: Promise<T>): Promise<T> {
  const waits = quiet().then(() => assert.fail('The pool has not answered yet.'));
  return Promise.race([promise, waits]);
}

/** Until every promise that can settle by itself has. */
async function quiet(): Promise<void> {
  for (let round = 0; round < 6; round += 1) await new Promise<void>((resolve) => turn(resolve));
}

const someEvent: Omit<RuntimeEvent, 'requestId'> = {
  functionArn: 'arn:aws:lambda:us-east-1:123456789012:function:f',
  traceHeader: 'Root=1-0-0',
  payload: Buffer.from('{}'),
};
