import assert from 'node:assert/strict';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { after, before, describe, test } from 'node:test';

import type { Database, Sql } from '#platform/database/database.ts';
import { DatabaseUnavailableError } from '#platform/storage-failure.ts';

import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import type { FunctionRequest, FunctionTargets, PostResult } from '../ports/function-targets.ts';
import { claimDeliveries, countAttempt, releaseDeliveries } from './delivery-claim-store.ts';
import { retryDelays } from './delivery.ts';
import { createDeliverer, type Deliverer } from './delivery-worker.ts';

/** Longer than a claim lasts. */
const leaseMilliseconds = 61_000;

describe('a delivery whose attempts end the server', () => {
  let forge: TestForge;
  let owner: TestUser;
  let deliverer: Deliverer;
  let posted: (request: FunctionRequest) => Promise<PostResult>;
  before(async () => {
    const functionTargets: FunctionTargets = {
      check: async () => ({ kind: 'allowed' }),
      post: (_url, request) => posted(request),
      enqueue: () => assert.fail('Nothing is enqueued.'),
    };
    forge = await startTestForge({}, { functionTargets });
    owner = await forge.user('own');
  });
  after(() => forge.close());

  const newDeliverer = (): Deliverer =>
    createDeliverer(forge.ports, (error) => {
      throw error;
    });

  /** A webhook whose ping is pending. */
  async function hook(): Promise<{ id: number; path: string }> {
    const hooks = `/repos/${await forge.repository(owner)}/hooks`;
    const { id } = (await owner.post(hooks, { config: { url: 'http://function.test/' } })).body;
    return { id, path: `${hooks}/${id}/deliveries` };
  }

  /** What a server that dies in an attempt leaves behind, as its next start finds it. */
  async function die(webhookId: number): Promise<void> {
    const { database, clock, serverId } = forge.ports;
    await database.write(async (sql) => {
      const by = {
        serverId,
        now: clock.now(),
        most: { toOne: 4, inAll: 100 },
        held: new Map<number, number>(),
      };
      const [delivery] = await claimDeliveries(sql, database.engine, [webhookId], by);
      assert.ok(delivery, 'the delivery is due');
      const content = delivery.payload === undefined ? { guid: 'guid', payload: '{}' } : undefined;
      assert.ok(await countAttempt(sql, delivery, clock.now(), content));
      await releaseDeliveries(sql, serverId, clock.now());
    });
  }

  test('is not attempted again after the fifth', async () => {
    const { id, path } = await hook();
    for (let attempt = 0; attempt < 5; attempt += 1) await die(id);
    assert.deepEqual((await owner.get(path)).body, [], 'no attempt has an outcome');
    posted = () => assert.fail('It was sent.');
    deliverer = newDeliverer();
    await deliverer.deliverDue();
    const [delivery] = (await owner.get(path)).body;
    assert.deepEqual(
      [delivery.status_code, delivery.status],
      [0, 'the server stopped or failed during the last attempt'],
    );
    forge.clock.advance(3_600_000);
    await deliverer.deliverDue();
    await deliverer.close();
  });

  test('is sent once more if the fifth has not been made', async () => {
    const { id, path } = await hook();
    for (let attempt = 0; attempt < 4; attempt += 1) await die(id);
    posted = async () => ({ kind: 'response', status: 500, headers: {}, body: noBytes() });
    deliverer = newDeliverer();
    await deliverer.deliverDue();
    posted = () => assert.fail('It was sent again.');
    forge.clock.advance(3_600_000);
    await deliverer.deliverDue();
    const [delivery] = (await owner.get(path)).body;
    assert.equal(delivery.status_code, 500);
    await deliverer.close();
  });

  test('does not count attempts that a stop interrupts', { timeout: 60_000 }, async () => {
    const { path } = await hook();
    for (let stop = 0; stop < 6; stop += 1) {
      const begun = Promise.withResolvers<void>();
      posted = () => {
        begun.resolve();
        return new Promise(() => {});
      };
      const stopped = newDeliverer();
      const delivering = stopped.deliverDue();
      await begun.promise;
      await stopped.close();
      await delivering;
    }
    posted = async () => ({ kind: 'response', status: 200, headers: {}, body: noBytes() });
    deliverer = newDeliverer();
    await deliverer.deliverDue();
    assert.equal((await owner.get(path)).body[0].status_code, 200);
    await deliverer.close();
  });
});

async function* noBytes(): AsyncGenerator<Uint8Array> {}

type Failure = 'no' | 'before the commit' | 'after the commit';
const works = { now: 'no', onceRead: 'no', onceSent: 'no' } as const;

describe('a delivery that a failure of the database interrupts', () => {
  let forge: TestForge;
  let owner: TestUser;
  let deliverer: Deliverer;
  /** When writes fail from now on, and when they do once a claimed delivery was read, or something was sent. */
  const failing: { now: Failure; onceRead: Failure; onceSent: Failure } = { ...works };
  let status = 200;
  /** Which of the next reads fail, from 1. */
  let failingReads: readonly number[] = [];
  let reads = 0;
  let sent = 0;
  const errors: unknown[] = [];

  before(async () => {
    const functionTargets: FunctionTargets = {
      check: async () => ({ kind: 'allowed' }),
      post: async () => {
        sent += 1;
        failing.now = failing.onceSent;
        return { kind: 'response', status, headers: {}, body: noBytes() };
      },
      enqueue: () => assert.fail('Nothing is enqueued.'),
    };
    forge = await startTestForge({}, { functionTargets });
    owner = await forge.user('own');
    const { database } = forge.ports;
    const write: Database['write'] = async (work, isolation) => {
      const unavailable = new DatabaseUnavailableError(new Error('terminated'));
      if (failing.now === 'before the commit') throw unavailable;
      const result = await database.write(work, isolation);
      if (failing.now === 'after the commit') throw unavailable;
      return result;
    };
    const countRead = (): void => {
      reads += 1;
      if (failingReads.includes(reads)) throw new DatabaseUnavailableError(new Error('terminated'));
      if (failing.onceRead !== 'no') failing.now = failing.onceRead;
    };
    const read: Database['read'] = async (work) => {
      countRead();
      return database.read(work);
    };
    // Not the look for what is due, which asks for all rows.
    const readOne: Database['readOne'] = (work) =>
      database.readOne((sql) => {
        const get: Sql['get'] = (text, ...values) => {
          countRead();
          return sql.get(text, ...values);
        };
        return work({ ...sql, get });
      });
    const unstable = Object.assign(Object.create(database), { read, readOne, write });
    deliverer = createDeliverer({ ...forge.ports, database: unstable }, (error) => {
      errors.push(error);
    });
  });
  after(async () => {
    await deliverer.close();
    await forge.close();
  });

  async function deliveriesOf(path: string): Promise<number[]> {
    const { body } = await owner.get(`${path}/deliveries`);
    return body.map((delivery: { status_code: number }) => delivery.status_code);
  }

  async function attemptsOf(path: string): Promise<number | undefined> {
    const row = await forge.database.readOne((sql) =>
      sql.get<{ attempts: number }>(
        'select attempts from webhook_deliveries where webhook_id = $1',
        Number(path.split('/').at(-1)),
      ),
    );
    return row?.attempts;
  }

  async function hook(): Promise<string> {
    const hooks = `/repos/${await forge.repository(owner)}/hooks`;
    const { body } = await owner.post(hooks, { config: { url: 'http://function.test/' } });
    sent = 0;
    errors.length = 0;
    failingReads = [];
    return `${hooks}/${body.id}`;
  }

  /** Deliveries are due after this pause, and not before. */
  async function deliverAfter(pause: number): Promise<void> {
    const known = [sent, reads];
    await deliverer.deliverDue();
    forge.clock.advance(pause - 1);
    await deliverer.deliverDue();
    assert.deepEqual([sent, reads], known, 'nothing is read or sent before');
    forge.clock.advance(1);
    await deliverer.deliverDue();
  }

  for (const which of [1, 2]) {
    test(`in read ${which} of what it says is sent after a pause`, async () => {
      const path = await hook();
      failingReads = [which];
      reads = 0;
      await deliverer.deliverDue();
      assert.deepEqual([sent, errors.length], [0, 1]);
      await deliverAfter(5_000);
      assert.deepEqual([sent, errors.length, await deliveriesOf(path)], [1, 1, [200]]);
    });
  }

  test('before it is sent counts no attempt, however often', async () => {
    const path = await hook();
    status = 500;
    await deliverer.deliverDue();
    status = 200;
    forge.clock.advance(5_000);
    failingReads = [1, 2, 3, 4, 5, 6];
    reads = 0;
    await deliverer.deliverDue();
    for (let failure = 0; failure < 6; failure += 1) await deliverAfter(5_000);
    assert.deepEqual([sent, errors.length, await deliveriesOf(path)], [2, 6, [200]]);
    assert.equal(await attemptsOf(path), 2);
  });

  test('in the answer to the write that counts its attempt counts none', async () => {
    const path = await hook();
    for (let failure = 0; failure < 6; failure += 1) {
      failing.onceRead = 'after the commit';
      await assert.rejects(deliverer.deliverDue(), DatabaseUnavailableError);
      Object.assign(failing, works);
      await deliverer.deliverDue();
      forge.clock.advance(5_000);
    }
    assert.equal(sent, 0);
    await deliverer.deliverDue();
    assert.deepEqual([sent, await deliveriesOf(path)], [1, [200]]);
    assert.equal(await attemptsOf(path), 1);
  });

  test('while it is sent counts each attempt, and pauses as after one that failed', async () => {
    const path = await hook();
    for (const pause of [...retryDelays, 0]) {
      failing.onceSent = 'before the commit';
      await assert.rejects(deliverer.deliverDue(), DatabaseUnavailableError);
      Object.assign(failing, works);
      const sentBefore = sent;
      await deliverer.deliverDue();
      forge.clock.advance(Math.max(0, pause - 1));
      await deliverer.deliverDue();
      assert.equal(sent, sentBefore, 'sent before the pause is over');
      forge.clock.advance(1);
    }
    assert.deepEqual([sent, await deliveriesOf(path)], [5, [0]]);
    assert.equal(await attemptsOf(path), 5);
  });

  test('in the write of its outcome is sent again after a pause', async () => {
    const path = await hook();
    failing.onceSent = 'before the commit';
    await assert.rejects(deliverer.deliverDue(), DatabaseUnavailableError);
    assert.deepEqual([sent, errors.length, await deliveriesOf(path)], [1, 1, []]);
    Object.assign(failing, works);
    await deliverAfter(5_000);
    assert.deepEqual([sent, await deliveriesOf(path)], [2, [200]]);
  });

  test('in the answer to its claim is sent when the database answers', async () => {
    const path = await hook();
    failing.now = 'after the commit';
    await assert.rejects(deliverer.deliverDue(), DatabaseUnavailableError);
    assert.deepEqual([sent, errors.length, await deliveriesOf(path)], [0, 0, []]);
    Object.assign(failing, works);
    await deliverer.deliverDue();
    assert.deepEqual([sent, await deliveriesOf(path)], [1, [200]]);
  });

  test('in the answer to the write of its outcome is not sent again', async () => {
    const path = await hook();
    failing.onceSent = 'after the commit';
    await assert.rejects(deliverer.deliverDue(), DatabaseUnavailableError);
    Object.assign(failing, works);
    await deliverer.deliverDue();
    assert.deepEqual([sent, await deliveriesOf(path)], [1, [200]]);
  });
});

describe('a delivery that two servers have claimed one after the other', () => {
  let forge: TestForge;
  let owner: TestUser;
  let server: Server;
  let url: string;
  const servers: Deliverer[] = [];
  let arrived: (response: ServerResponse) => void = () => {};

  before(async () => {
    forge = await startTestForge({ webhookPrivateTargets: true });
    owner = await forge.user('own');
    server = createServer((request, response) => {
      request.resume().on('end', () => arrived(response));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    assert.ok(typeof address === 'object' && address);
    url = `http://127.0.0.1:${address.port}/`;
  });
  after(async () => {
    for (const each of servers) await each.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await forge.close();
  });

  function newServer(): Deliverer {
    const deliverer = createDeliverer(forge.ports, (error) => {
      throw error;
    });
    servers.push(deliverer);
    return deliverer;
  }

  /** What has come to the receiver and is not answered yet. */
  const arrival = (): Promise<ServerResponse> =>
    new Promise((resolve) => {
      arrived = resolve;
    });

  test(
    'is due although the clock was set back since it was written',
    { timeout: 60_000 },
    async () => {
      const name = await forge.repository(owner);
      await owner.post(`/repos/${name}/hooks`, { config: { url } });
      const arrives = arrival();
      forge.clock.advance(-3_600_000);
      const delivering = newServer().deliverDue();
      (await arrives).end();
      await delivering;
      forge.clock.advance(3_600_000);
    },
  );

  test('shows its duration although the clock is set meanwhile', { timeout: 60_000 }, async () => {
    for (const step of [-3_600_000, 3_600_000]) {
      const name = await forge.repository(owner);
      const arrives = arrival();
      const { body } = await owner.post(`/repos/${name}/hooks`, { config: { url } });
      const delivering = newServer().deliverDue();
      const response = await arrives;
      forge.clock.advance(step);
      response.end();
      await delivering;
      const path = `/repos/${name}/hooks/${body.id}/deliveries`;
      const [{ duration, status_code: code }] = (await owner.get(path)).body;
      assert.equal(code, 200);
      // A delivery fails after ten seconds.
      assert.ok(duration >= 0 && duration < 60, `${duration} seconds`);
    }
  });

  test('keeps its outcome where its server stood still for longer than a claim lasts', async () => {
    const name = await forge.repository(owner);
    const first = arrival();
    const { body } = await owner.post(`/repos/${name}/hooks`, { config: { url } });
    const path = `/repos/${name}/hooks/${body.id}`;
    const paused = newServer();
    const slow = paused.deliverDue();
    const late = await first;
    forge.clock.advance(leaseMilliseconds);
    // Found by the look that must not claim the first one again.
    await owner.post(`${path}/pings`);
    const second = arrival();
    const quick = paused.deliverDue();
    end(await second, 200);
    end(late, 200);
    await Promise.all([slow, quick]);
    const deliveries: { status_code: number }[] = (await owner.get(`${path}/deliveries`)).body;
    assert.deepEqual(
      deliveries.map(({ status_code: code }) => code),
      [200, 200],
    );
  });

  /** A ping that one server is sending, and another too since the claim of the first has ended. */
  async function sentTwice() {
    const name = await forge.repository(owner);
    const first = arrival();
    const { body } = await owner.post(`/repos/${name}/hooks`, { config: { url } });
    const slow = newServer().deliverDue();
    const late = await first;
    forge.clock.advance(leaseMilliseconds);
    const second = arrival();
    const quick = newServer().deliverDue();
    return { path: `/repos/${name}/hooks/${body.id}`, slow, late, quick, prompt: await second };
  }

  const end = (response: ServerResponse, status: number): unknown =>
    response.writeHead(status).end();

  test('keeps the outcome of the claim that holds, not the one that comes last', async () => {
    const { path, slow, late, quick, prompt } = await sentTwice();
    end(prompt, 200);
    await quick;
    end(late, 500);
    await slow;
    const [delivery, ...more] = (await owner.get(`${path}/deliveries`)).body;
    assert.deepEqual([delivery.status_code, more], [200, []]);
    assert.equal((await owner.get(path)).body.last_response.code, 200);
    forge.clock.advance(leaseMilliseconds);
    const again = arrival();
    await owner.post(`${path}/pings`);
    const third = newServer().deliverDue();
    end(await again, 200);
    await third;
    assert.equal((await owner.get(`${path}/deliveries`)).body.length, 2, 'nothing was sent again');
  });

  test('waits for the outcome of the claim that holds, although the earlier one has failed', async () => {
    const { path, slow, late, quick, prompt } = await sentTwice();
    end(late, 500);
    await slow;
    assert.deepEqual((await owner.get(`${path}/deliveries`)).body, []);
    end(prompt, 200);
    await quick;
    const [delivery] = (await owner.get(`${path}/deliveries`)).body;
    assert.equal(delivery.status_code, 200);
  });
});
