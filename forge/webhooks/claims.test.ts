import assert from 'node:assert/strict';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { after, before, describe, test } from 'node:test';

import { startTestForge, type TestForge, type TestUser } from '../testing/test-forge.ts';
import { createDeliverer, type Deliverer } from './delivery-worker.ts';

/** Longer than a claim lasts. */
const leaseMilliseconds = 61_000;

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
