import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { LauncherUnavailableError } from '../../launcher/launcher.ts';
import type { InitFailure } from '../runtime-process.ts';
import { internalError, stoppingFailure } from '../start-failure.ts';
import { createEnvironmentPool } from './create-environment-pool.ts';
import type { PoolSettings } from './environment-pool.ts';
import { testPool, type TestPool } from './testing/test-pool.ts';
import { testVersionSpec } from './testing/test-version-spec.ts';
import {
  type CreatedEnvironment,
  EnvironmentLostError,
  type ExecutionEnvironment,
} from '../execution-environment.ts';

const one = testVersionSpec(1);
const other = testVersionSpec(2);

const plainSettings: PoolSettings = {
  environmentsMax: 4,
  capacityProviders: new Map(),
  idleMilliseconds: 3_600_000,
  refusal: undefined,
  onError: (error) => {
    throw error;
  },
};

describe('an environment that becomes free', () => {
  it('frees capacity for an event of another function that waits', async () => {
    const t = testPool({ environmentsMax: 1 });
    const first = t.invoke(one);
    await t.started();
    const second = t.invoke(other);
    await t.quiet();
    assert.equal(t.pending('create').length, 0);
    await t.answer(first);
    // No one asks again: the release itself has to serve the other function.
    await t.started();
    await t.answer(second);
    assert.deepEqual(t.kinds(), ['answered', 'answered']);
    await t.close();
  });

  it('goes to the event that has waited longest, also when a function floods the host', async () => {
    const t = testPool({ environmentsMax: 1 });
    const flood = [t.invoke(one)];
    await t.started();
    flood.push(t.invoke(one), t.invoke(one));
    await t.quiet();
    const oneOfAnother = t.invoke(other);
    await t.quiet();
    const late = t.invoke(one);
    await t.quiet();
    for (const event of flood) await t.answer(event);
    await t.started();
    assert.equal(t.pending('invoke')[0]?.event, oneOfAnother);
    await t.answer(oneOfAnother);
    await t.started();
    await t.answer(late);
    assert.deepEqual(new Set(t.kinds()), new Set(['answered']));
    await t.close();
  });
});

describe('an idle environment', () => {
  it('is closed when the clock has gone forward by as long as one may be idle', async () => {
    const t = testPool({ idleMilliseconds: 600_000 });
    const first = t.invoke(one);
    await t.started();
    // One that runs an event is not idle, however long that takes.
    t.pool.reap(3_600_000);
    await t.answer(first);
    t.pool.reap(300_000);
    await t.quiet();
    assert.equal(t.pending('close').length, 0);
    t.pool.reap(300_001);
    await t.quiet();
    assert.equal(t.pending('close').length, 1);
    await t.close();
  });
});

describe('an environment whose credentials end', () => {
  it('gets no more events, and is replaced', async () => {
    const t = testPool({});
    const first = t.invoke(one);
    await t.started();
    const [{ environment } = assert.fail()] = t.pending('invoke');
    await t.answer(first);
    environment.expired = true;
    const second = t.invoke(one);
    await t.quiet();
    assert.equal(environment.isClosed, true);
    await t.started();
    const [next] = t.pending('invoke');
    assert.notEqual(next?.environment, environment);
    await t.answer(second);
    assert.deepEqual(t.kinds(), ['answered', 'answered']);
    await t.close();
  });

  it('finishes the events that it works on', async () => {
    const t = testPool({});
    const several = testVersionSpec(3, { concurrency: 3 });
    const first = t.invoke(several);
    await t.started();
    const [{ environment } = assert.fail()] = t.pending('invoke');
    environment.expired = true;
    const second = t.invoke(several);
    await t.started();
    assert.equal(environment.isClosed, false);
    await t.answer(first);
    assert.equal(environment.isClosed, true);
    await t.answer(second);
    assert.deepEqual(t.kinds(), ['answered', 'answered']);
    await t.close();
  });
});

describe('an environment that is started', () => {
  it('belongs to the chain of its event, where it is started for one', async () => {
    const t = testPool({});
    const event = t.invoke(one);
    await t.quiet();
    const [created] = t.pending('create');
    assert.equal(created?.environment.spec.traceHeader, event.traceHeader);
    await t.started();
    await t.answer(event);
    const ahead = t.pool.prewarm(other);
    await t.quiet();
    assert.equal(t.pending('create')[0]?.environment.spec.traceHeader, undefined);
    await t.started();
    await t.settled(ahead);
    await t.close();
  });
});

describe('a prewarm that waits for others while idle environments are reaped', () => {
  for (const fromSnapshot of [false, true]) {
    it(`serves events, and ends with its version (fromSnapshot: ${fromSnapshot})`, async () => {
      const t = testPool({ environmentsMax: 20 });
      const others = [11, 12, 13, 14].map((id) => t.pool.prewarm(testVersionSpec(id)));
      const spec = testVersionSpec(15, { fromSnapshot });
      const ahead = t.pool.prewarm(spec);
      await t.quiet();
      assert.equal(t.pending('create').length, others.length);
      t.pool.reap();
      for (const start of [...others, ahead]) {
        await t.started();
        await t.settled(start);
      }
      const event = t.invoke(spec);
      await t.answer(event);
      t.pool.drain(spec.versionId);
      const own = [...t.host.environments].filter((made) => made.spec.versionId === spec.versionId);
      assert.deepEqual(
        own.map(({ isClosed }) => isClosed),
        [true],
      );
      await t.close();
    });
  }
});

describe('an event that comes just after its version was drained', () => {
  it('leaves an environment that stands for a snapshot, until it is drained again', async () => {
    const t = testPool({});
    const spec = testVersionSpec(1, { fromSnapshot: true });
    t.pool.drain(spec.versionId);
    const events = [t.invoke(spec), t.invoke(other)];
    for (const event of events) {
      await t.started();
      await t.answer(event);
    }
    assert.deepEqual([...t.pool.snapshotVersionIds()], [spec.versionId]);
    t.pool.reap(7_200_000);
    assert.equal(t.pool.counts().now.idle, 1);
    t.pool.drain(spec.versionId);
    assert.equal(t.pool.counts().now.idle, 0);
    assert.deepEqual([...t.pool.snapshotVersionIds()], []);
    await t.close();
  });
});

describe('a full capacity provider', () => {
  it('has one of its own environments evicted, and no other', async () => {
    const capacityProvider = 'arn:aws:lambda:us-east-1:123456789012:capacity-provider:small';
    const t = testPool({
      environmentsMax: 10,
      capacityProviders: new Map([[capacityProvider, { environmentsMax: 1 }]]),
    });
    for (const spec of [one, testVersionSpec(3, { capacityProvider })]) {
      const event = t.invoke(spec);
      await t.started();
      await t.answer(event);
    }
    const event = t.invoke(testVersionSpec(4, { capacityProvider }));
    await t.started();
    await t.answer(event);
    assert.deepEqual(
      t.pending('close').map(({ environment }) => environment.spec.versionId),
      [3],
    );
    await t.close();
  });
});

describe('events that wait when their function is updated', () => {
  it('still run, with the configuration that they came for', async () => {
    const t = testPool({ environmentsMax: 1 });
    const busy = t.invoke(other);
    await t.started();
    const waiting = t.invoke(one);
    await t.quiet();
    t.pool.drain(one.versionId);
    await t.answer(busy);
    await t.started();
    assert.equal(t.pending('invoke')[0]?.environment.spec.configurationId, one.configurationId);
    await t.answer(waiting);
    assert.deepEqual(t.kinds(), ['answered', 'answered']);
    // Evicted for it, and closed because nothing else comes for that configuration.
    assert.deepEqual(
      t.pending('close').map(({ environment }) => environment.spec.versionId),
      [other.versionId, one.versionId],
    );
    await t.close();
  });
});

describe('environments of functions whose home is another server now', () => {
  it('close after the events that they have, and are not replaced', async () => {
    const t = testPool({});
    const busy = t.invoke(one);
    await t.started();
    const provisioned = t.pool.ensureProvisioned(other, 1);
    await t.started();
    assert.equal(await t.settled(provisioned), undefined);
    t.pool.retain((name) => name === 'function-3');
    await t.quiet();
    const closed = (): number[] =>
      t.pending('close').map(({ environment }) => environment.spec.versionId);
    assert.deepEqual(closed(), [other.versionId]);
    await t.answer(busy);
    assert.deepEqual(closed(), [other.versionId, one.versionId]);
    t.pool.reap();
    await t.quiet();
    assert.equal(t.pending('create').length, 0);
    await t.close();
  });
});

describe('an environment that is lost', () => {
  it('gives its event to another one, if the function cannot have worked on it', async () => {
    const t = testPool({ environmentsMax: 1 });
    const event = t.invoke(one);
    await t.started();
    t.pending('invoke')[0]?.fail(new EnvironmentLostError(false));
    await t.started();
    await t.answer(event);
    assert.deepEqual(t.kinds(), ['answered']);
    assert.equal(t.faults.length, 1);
    await t.close();
  });

  it('costs neither capacity nor a second run of an event that it may have worked on', async () => {
    const t = testPool({ environmentsMax: 1 });
    for (let turnOf = 0; turnOf < 3; turnOf += 1) {
      t.invoke(one);
      await t.started();
      t.pending('invoke')[0]?.fail(new Error('The launcher process has ended.'));
      await t.quiet();
    }
    const last = t.invoke(other);
    await t.started();
    await t.answer(last);
    assert.deepEqual(t.kinds(), ['lost', 'lost', 'lost', 'answered']);
    await t.close();
  });

  it('is replaced when it was provisioned', async () => {
    const t = testPool({ environmentsMax: 2 });
    const provisioned = t.pool.ensureProvisioned(one, 1);
    await t.started();
    assert.equal(await t.settled(provisioned), undefined);
    const [environment] = t.host.environments;
    environment?.lose();
    await t.started();
    const event = t.invoke(one);
    await t.answer(event);
    assert.equal(t.host.environments.size, 2);
    await t.close();
  });
});

describe('a start that fails by a fault of the service', () => {
  it('is tried once more, and then the caller does not learn the cause', async () => {
    const t = testPool({ environmentsMax: 1 });
    t.invoke(one);
    const fault = new Error("ENOENT: no such file or directory, lstat '/srv/hob/functions/code'");
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await t.quiet();
      t.pending('create')[0]?.fail(fault);
    }
    await t.quiet();
    assert.deepEqual(t.outcomes(), [{ kind: 'not-started', failure: internalError(fault) }]);
    assert.doesNotMatch(internalError(fault).text, /srv/);
    // The caller's own log has the other.
    assert.deepEqual(t.faults, [fault]);
    await t.close();
  });

  it('costs no capacity when it is the initialisation that fails', async () => {
    const t = testPool({ environmentsMax: 1 });
    t.invoke(one);
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await t.quiet();
      t.pending('create')[0]?.succeed();
      await t.quiet();
      t.pending('initialise')[0]?.fail(new Error('The launcher process has ended.'));
    }
    await t.quiet();
    const event = t.invoke(other);
    await t.started();
    await t.answer(event);
    assert.deepEqual(t.kinds(), ['not-started', 'answered']);
    await t.close();
  });

  it('answers all who wait at once when nothing can be started', async () => {
    const t = testPool({ environmentsMax: 10 });
    for (let count = 0; count < 20; count += 1) t.invoke(one);
    await t.quiet();
    assert.equal(t.pending('create').length, 4);
    t.pending('create')[0]?.fail(new LauncherUnavailableError());
    await t.quiet();
    assert.deepEqual(new Set(t.kinds()), new Set(['not-started']));
    assert.equal(t.kinds().length, 20);
    await t.close();
  });
});

describe('what fails behind an answer', () => {
  it('ends no process: neither a report that cannot be made nor an environment that cannot be closed', async () => {
    const t = testPool({ environmentsMax: 1 });
    const event = t.invoke(one);
    await t.started();
    t.pending('invoke')[0]?.succeed();
    await t.quiet();
    t.pending('report')[0]?.fail(new Error('The launcher process has ended.'));
    await t.quiet();
    assert.equal(t.outcomeOf(event)?.kind, 'answered');
    t.pool.drain(one.versionId);
    await t.quiet();
    t.pending('close')[0]?.fail(new Error('spawn EMFILE'));
    const next = t.invoke(other);
    await t.started();
    await t.answer(next);
    assert.deepEqual(t.kinds(), ['answered', 'answered']);
    assert.equal(t.faults.length, 2);
    await t.close();
  });
});

describe('capacity that is provisioned for one function', () => {
  it('is no reason for events of another to wait for ever', async () => {
    const t = testPool({ environmentsMax: 1 });
    const provisioned = t.pool.ensureProvisioned(one, 1);
    await t.started();
    await t.settled(provisioned);
    t.invoke(other);
    await t.quiet();
    assert.deepEqual(t.kinds(), ['throttled']);
    await t.close();
  });
});

describe('two requests for provisioned concurrency of one version', () => {
  it('leave the count of the second when the first fails', async () => {
    const t = testPool({});
    const first = t.pool.ensureProvisioned(one, 1);
    await t.quiet();
    const second = t.pool.ensureProvisioned(one, 3);
    await failStarts(t, 2);
    assert.deepEqual(await t.settled(first), internalError(fault));
    for (let count = 0; count < 3; count += 1) await t.started();
    assert.equal(await t.settled(second), undefined);
    t.pool.reap(7_200_000);
    assert.equal(t.pool.counts().now.idle, 3);
    await t.close();
  });

  it('both fail when no environment starts, also when both want the same one', async () => {
    const t = testPool({});
    const first = t.pool.ensureProvisioned(one, 1);
    const second = t.pool.ensureProvisioned(one, 1);
    await failStarts(t, 4);
    assert.deepEqual(await t.settled(first), internalError(fault));
    assert.deepEqual(await t.settled(second), internalError(fault));
    // It maintains none.
    t.pool.reap();
    await t.quiet();
    assert.equal(t.pool.counts().now.starting, 0);
    await t.close();
  });

  const fault = new Error('The launcher process has ended.');
  async function failStarts(t: TestPool, count: number): Promise<void> {
    for (let failed = 0; failed < count; failed += 1) {
      await t.quiet();
      t.pending('create').at(-1)?.fail(fault);
    }
    await t.quiet();
  }
});

describe('the end of the pool', () => {
  it('answers all waiting events, and waits for environments that are still starting', async () => {
    const t = testPool({ environmentsMax: 1 });
    t.invoke(one);
    await t.quiet();
    t.invoke(other);
    await t.quiet();
    const closed = t.pool.close();
    await t.quiet();
    assert.deepEqual(t.kinds(), ['not-started', 'not-started']);
    t.pending('create')[0]?.succeed();
    await t.quiet();
    t.pending('close')[0]?.succeed();
    await t.settled(closed);
    assert.deepEqual(t.host.broken, []);
  });
});

describe('the end of the pool while a program starts', () => {
  it('is no failure of the program', async () => {
    const ended = Promise.withResolvers<InitFailure>();
    const killed = { kind: 'killed', signal: 'SIGKILL', outOfMemory: false } as const;
    const starting = Promise.withResolvers<void>();
    const environment: ExecutionEnvironment = {
      initialise() {
        starting.resolve();
        return ended.promise;
      },
      process: () => assert.fail('There is no event.'),
      recovered: () => assert.fail('There is no event.'),
      isExpired: () => false,
      onLost() {},
      async close() {
        ended.resolve({ kind: 'ended', end: killed });
      },
    };
    const pool = createEnvironmentPool(
      async () => ({ kind: 'created', environment }),
      plainSettings,
    );
    const prewarmed = pool.prewarm(one);
    await starting.promise;
    await pool.close();
    assert.equal(await prewarmed, stoppingFailure);
  });
});

describe('the counts of environments', () => {
  it('have every environment in its state', async () => {
    const { promise: created, resolve: create } = Promise.withResolvers<CreatedEnvironment>();
    const pool = createEnvironmentPool(() => created, plainSettings);
    const none = { starting: 0, idle: 0, busy: 0, draining: 0 };
    assert.deepEqual(pool.counts(), { now: none, started: 0 });
    const starting = pool.prewarm(testVersionSpec(1));
    assert.deepEqual(pool.counts(), { now: { ...none, starting: 1 }, started: 1 });
    create({ kind: 'failed', failure: { code: 'FunctionError.RuntimeInitError', text: 'no' } });
    await starting;
    assert.deepEqual(pool.counts(), { now: none, started: 1 });
    await pool.close();
  });
});
