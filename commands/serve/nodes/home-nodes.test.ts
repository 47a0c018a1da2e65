import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  request as httpRequest,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';

import { FunctionsError } from '#functions/errors/functions-error.ts';
import { setForwarded } from '#platform/forwarded-request.ts';
import { inBackground } from '#platform/in-background.ts';

import { homesAmong } from './home-nodes.ts';
import { type Node, type Nodes, NodeUnavailableError } from './nodes.ts';
import { rendezvous } from './rendezvous.ts';

const settings = { accountId: '123456789012' };
const nodeOf = (serverId: string): Node => ({ serverId, name: serverId, address: `${serverId}:1` });

/** As one of the nodes sees them. */
function testNodes(self: string, ids: readonly string[]) {
  const state = { live: ids.map(nodeOf), forwarded: [] as string[], failure: undefined as unknown };
  const nodes: Nodes = {
    self,
    live: () => state.live,
    onChange: () => () => {},
    async forward(to, _request, response) {
      if (state.failure !== undefined) throw state.failure;
      state.forwarded.push(to.serverId);
      response.end('other');
    },
    post: () => Promise.reject(state.failure),
  };
  return { state, nodes };
}

/** The first name whose home is the node. */
function nameFor(serverId: string, ids: readonly string[]): string {
  for (let number = 0; ; number += 1) {
    const name = `fn-${number}`;
    if (rendezvous(`${settings.accountId} ${name}`, ids.map(nodeOf))?.serverId === serverId) {
      return name;
    }
  }
}

describe('homes of functions', () => {
  const ids = ['a', 'b', 'c'];
  const [own, other] = [nameFor('a', ids), nameFor('b', ids)];

  it('are this server alone, when it is', async () => {
    const homes = homesAmong(undefined, settings);
    assert.deepEqual([homes.isHome(own), homes.isHome(other), homes.count], [true, true, 1]);
  });

  it('are one of the live nodes each', () => {
    const { state, nodes } = testNodes('a', ids);
    const homes = homesAmong(nodes, settings);
    assert.deepEqual([homes.isHome(own), homes.isHome(other), homes.count], [true, false, 3]);
    state.live = [nodeOf('a')];
    assert.deepEqual([homes.isHome(other), homes.count], [true, 1]);
    // Before it takes requests, and while it stops.
    state.live = [nodeOf('b')];
    assert.deepEqual([homes.isHome(own), homes.isHome(other)], [false, false]);
    state.live = [];
    assert.deepEqual([homes.isHome(own), homes.count], [false, 1]);
  });

  it('get requests, unless this server is one or has got them from another', async () => {
    const { state, nodes } = testNodes('a', ids);
    const homes = homesAmong(nodes, settings);
    const passed: boolean[] = [];
    const answer = async (raw: IncomingMessage, response: ServerResponse): Promise<void> => {
      const { url: originalUrl = '' } = raw;
      const name = originalUrl === '/own' ? own : other;
      if (originalUrl === '/again') setForwarded(raw);
      passed.push(await homes.forwardToHome(name, { raw, originalUrl }, response));
      response.end();
    };
    const server = createServer((raw, response) => inBackground(answer(raw, response)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens
    const { port } = server.address() as AddressInfo;
    const get = async (path: string): Promise<string> => {
      const sent = httpRequest({ host: '127.0.0.1', port, path }).end();
      const [response]: IncomingMessage[] = await once(sent, 'response');
      return response ? text(response) : '';
    };
    try {
      assert.deepEqual(
        [await get('/own'), await get('/other'), await get('/again')],
        ['', 'other', ''],
      );
      assert.deepEqual(passed, [false, true, false]);
      assert.deepEqual(state.forwarded, ['b']);
    } finally {
      server.close();
    }
  });

  it('that cannot be reached are reported so that clients try again', async () => {
    const { state, nodes } = testNodes('a', ids);
    const homes = homesAmong(nodes, settings);
    const request = {
      address: new URL('http://code.test/lambda-url/x/'),
      headers: {},
      body: Buffer.from(''),
      lineage: undefined,
    };
    assert.equal(await homes.post(own, request), undefined);
    state.failure = new NodeUnavailableError('gone');
    await assert.rejects(homes.post(other, request), (error) => {
      assert.ok(error instanceof FunctionsError);
      assert.deepEqual([error.status, error.details.retryAfterSeconds], [503, 1]);
      return true;
    });
    state.failure = new Error('a fault');
    await assert.rejects(homes.post(other, request), { message: 'a fault' });
  });
});
