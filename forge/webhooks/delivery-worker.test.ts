import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { after, before, describe, test } from 'node:test';

import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { claimDeliveries } from './delivery-claim-store.ts';
import { createDeliverer, type Deliverer } from './delivery-worker.ts';

/** Longer than any test takes: what arrives was not found by looking now and then. */
const pollMilliseconds = 2 ** 31 - 1;

describe('a deliverer that goes on by itself', () => {
  let forge: TestForge;
  let owner: TestUser;
  let server: Server;
  let url: string;
  let deliverer: Deliverer;
  let arrived: () => void = () => {};

  before(async () => {
    forge = await startTestForge({ webhookPrivateTargets: true });
    owner = await forge.user('own');
    server = createServer((request, response) => {
      request.resume().on('end', () => {
        response.end();
        arrived();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    assert.ok(typeof address === 'object' && address);
    url = `http://127.0.0.1:${address.port}/`;
    deliverer = newDeliverer();
    deliverer.start();
  });
  after(async () => {
    await deliverer.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await forge.close();
  });

  function newDeliverer(): Deliverer {
    const onError = (error: unknown): never => {
      throw error;
    };
    return createDeliverer(forge.ports, onError, pollMilliseconds);
  }

  /** Resolves when so many deliveries have arrived from now on. */
  function arrivals(count: number): Promise<void> {
    let left = count;
    return new Promise((resolve) => {
      arrived = () => {
        left -= 1;
        if (left === 0) resolve();
      };
    });
  }

  test('is woken by the commit that a delivery is written in', { timeout: 60_000 }, async () => {
    const name = await forge.repository(owner);
    const pinged = arrivals(1);
    const hook = await owner.post(`/repos/${name}/hooks`, { config: { url }, events: ['*'] });
    assert.equal(hook.status, 201);
    await pinged;
    const sent = arrivals(1);
    await owner.post(`/repos/${name}/labels`, { name: 'new', color: 'ffffff' });
    await sent;
  });

  test('takes up at once what it had claimed when it died', { timeout: 60_000 }, async () => {
    const name = await forge.repository(owner);
    await deliverer.close();
    const { body } = await owner.post(`/repos/${name}/hooks`, { config: { url }, events: ['*'] });
    const now = forge.clock.now();
    const { serverId } = forge.ports;
    const by = { serverId, now, most: { toOne: 1, inAll: 100 }, held: new Map<number, number>() };
    const claimed = await forge.database.write((sql) =>
      claimDeliveries(sql, forge.database.engine, [body.id], by),
    );
    assert.equal(claimed.length, 1);
    const sent = arrivals(1);
    deliverer = newDeliverer();
    deliverer.start();
    await sent;
  });

  test(
    'goes on until nothing is pending, however few it sends at once',
    { timeout: 60_000 },
    async () => {
      const name = await forge.repository(owner);
      const pinged = arrivals(1);
      await owner.post(`/repos/${name}/hooks`, { config: { url }, events: ['*'] });
      await pinged;
      const sent = arrivals(20);
      for (let number = 0; number < 20; number += 1) {
        await owner.post(`/repos/${name}/labels`, { name: `l${number}`, color: 'ffffff' });
      }
      await sent;
    },
  );
});
