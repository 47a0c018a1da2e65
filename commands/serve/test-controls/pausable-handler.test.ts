import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';

import { ControlRefusal } from './control-request.ts';
import { PausableHandler } from './pausable-handler.ts';

describe('the handler before the services', () => {
  let server: Server;
  let url: string;
  const handler = new PausableHandler(1);
  /** Responses that a test ends. */
  const open: ServerResponse[] = [];
  const events = new EventTarget();
  before(async () => {
    handler.setHandler((_request, response) => {
      open.push(response);
      events.dispatchEvent(new Event('request'));
    });
    server = createServer(handler.handle);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });

  /** A request that has reached the services. */
  async function underWay(): Promise<{
    readonly status: Promise<number>;
    response: ServerResponse;
  }> {
    const arrived = once(events, 'request');
    const status = fetch(url).then((answer) => answer.status);
    status.catch(() => {});
    await arrived;
    const response = open.pop();
    assert.ok(response);
    return { status, response };
  }

  it('refuses work that must not break off a request that does not end', async () => {
    const { status, response } = await underWay();
    await assert.rejects(
      handler.pausedDuring('waited for', async () => assert.fail('the work was done')),
      (error) => error instanceof ControlRefusal && error.status === 409,
    );
    response.writeHead(204).end();
    assert.equal(await status, 204);
  });

  it('breaks off for work that may, and holds later requests back', async () => {
    const { status } = await underWay();
    let later: Promise<number> | undefined;
    await handler.pausedDuring('broken off', async () => {
      later = fetch(url).then((answer) => answer.status);
      assert.equal(open.length, 0);
    });
    await assert.rejects(status);
    while (open.length === 0) await once(events, 'request');
    open.pop()?.writeHead(204).end();
    assert.equal(await later, 204);
  });
});
