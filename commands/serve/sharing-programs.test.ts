import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { Agent, IncomingMessage, request } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { connect, Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';

import type { LoopbackConnection, PeerOwner } from '#functions/launcher/launcher.ts';
import { currentLineage, inLineageOf } from '#platform/invocation-lineage.ts';

import { makeDevelopmentCertificate } from './development-certificate.ts';
import { listen, type Listener } from './listener.ts';
import { SharingPrograms } from './sharing-programs.ts';
import { type TlsCertificate, readTlsCertificate } from './tls-certificate.ts';

const program: PeerOwner = { kind: 'sandbox', id: 'one' };
const trace = 'Root=1-00000000-000000000000000000000000';

describe('programs of functions that share the network of the host', () => {
  let folder: string;
  let certificate: TlsCertificate;
  let authority: Buffer;
  let sharing: SharingPrograms;
  let listener: Listener;
  let agent: Agent;
  /** What the launcher is asked, and what it answers. */
  let asked: (readonly LoopbackConnection[])[];
  let answer: () => Promise<PeerOwner>;
  let lineage: string;
  let remove: () => void;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-sharing-'));
    const files = await makeDevelopmentCertificate(folder);
    certificate = await readTlsCertificate(files);
    authority = await readFile(files.authority);
  });
  after(() => rm(folder, { recursive: true, force: true }));
  beforeEach(async () => {
    asked = [];
    answer = async () => program;
    lineage = 'one:3';
    sharing = new SharingPrograms();
    listener = await serve({});
    agent = new Agent({ keepAlive: true });
    remove = sharing.add({
      id: 'one',
      lineage: () => lineage,
      async ownersOf(connections) {
        asked.push(connections);
        return Promise.all(connections.map(answer));
      },
    });
  });
  afterEach(async () => {
    agent.destroy();
    await stop(listener);
  });

  async function serve(options: { certificate?: TlsCertificate }): Promise<Listener> {
    const made = await listen('127.0.0.1', 0, { ...options, sharing });
    made.handleWith((received, response) => {
      const seen = inLineageOf(received, () => currentLineage());
      response.end(`${seen ?? 'none'} ${String(received.headers['x-amzn-trace-id'])}`);
    });
    return made;
  }

  function stop(stopped: Listener): Promise<void> {
    return stopped.close({ delayMilliseconds: 0, drainMilliseconds: 0 });
  }

  async function ask(given?: string): Promise<string> {
    const headers = given === undefined ? {} : { 'x-amzn-trace-id': given };
    const sent = request({ host: '127.0.0.1', port: listener.port, agent, headers }).end();
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the event has a message
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return text(response);
  }

  it('continue their chains, whatever they say, and are looked for once a connection', async () => {
    assert.equal(await ask(), 'one:3 Lineage=one:3');
    lineage = 'one:4';
    assert.equal(await ask(`${trace};Lineage=other:1`), `one:4 ${trace};Lineage=one:4`);
    assert.equal(asked.length, 1);
    const [[connection] = []] = asked;
    assert.equal(connection?.port, listener.port);
    assert.equal(connection?.peerAddress, '127.0.0.1');
  });

  it('continue their chains on a connection from the port of one whose end is noticed later', async () => {
    let passed = Promise.withResolvers<void>();
    const server = new Server(() => passed.resolve());
    sharing.guard(server);
    const connected = async (): Promise<Socket> => {
      const socket = new Socket();
      const addresses = { localAddress: '127.0.0.1', localPort: 1, remoteAddress: '127.0.0.1' };
      for (const [name, value] of Object.entries({ ...addresses, remotePort: 2 })) {
        Object.defineProperty(socket, name, { value });
      }
      passed = Promise.withResolvers();
      server.emit('connection', socket);
      await passed.promise;
      return socket;
    };
    const first = await connected();
    const second = await connected();
    const closed = once(first, 'close');
    first.destroy();
    await closed;
    const message = new IncomingMessage(second);
    sharing.prepare(message);
    assert.equal(message.headers['x-amzn-trace-id'], 'Lineage=one:3');
    second.destroy();
  });

  it('continue their chains over TLS', async () => {
    const secure = await serve({ certificate });
    const own = new SecureAgent({ keepAlive: true, ca: authority });
    try {
      for (let count = 0; count < 2; count += 1) {
        const options = { host: '127.0.0.1', port: secure.port, agent: own };
        const [response] = await once(secureRequest(options).end(), 'response');
        assert.equal(await text(response), 'one:3 Lineage=one:3');
      }
      assert.equal(asked.length, 1);
    } finally {
      own.destroy();
      await stop(secure);
    }
  });

  it('are not blamed for requests of others, nor can others claim their chains', async () => {
    answer = async () => ({ kind: 'other' });
    assert.equal(await ask(), 'none undefined');
    assert.equal(await ask('Lineage=one:3'), 'none Lineage=one:3');
    agent.destroy();
    answer = async () => ({ kind: 'sandbox', id: 'another' });
    assert.equal(await ask(), 'none undefined');
    agent.destroy();
    answer = async () => Promise.reject(new Error('The launcher process exited.'));
    assert.equal(await ask(), 'none undefined');
  });

  it('have no requests served that nothing awaits any more', async () => {
    answer = async () => ({ kind: 'closed' });
    await assert.rejects(ask(), /ECONNRESET|socket hang up/);
  });

  it('cost no question where there are none', async () => {
    remove();
    assert.equal(await ask(), 'none undefined');
    assert.equal(asked.length, 0);
  });

  it('do not hold up other clients while the launcher hangs', async () => {
    sharing = new SharingPrograms(20);
    const hanging = await serve({});
    sharing.add({ id: 'one', lineage: () => lineage, ownersOf: () => new Promise(() => {}) });
    try {
      const response = await fetch(`http://127.0.0.1:${hanging.port}/`);
      assert.equal(await response.text(), 'none undefined');
    } finally {
      await stop(hanging);
    }
  });

  it('are asked for together where many connect at the same time', async () => {
    const first = Promise.withResolvers<PeerOwner>();
    const started = Promise.withResolvers<void>();
    answer = async () => {
      started.resolve();
      return first.promise;
    };
    const sockets = [connect(listener.port, '127.0.0.1')];
    await started.promise;
    for (let count = 0; count < 3; count += 1) {
      const accepted = once(listener.server, 'connection');
      sockets.push(connect(listener.port, '127.0.0.1'));
      await accepted;
    }
    answer = async () => program;
    first.resolve(program);
    const answers = sockets.map(async (socket) => {
      socket.end('GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n');
      return text(socket);
    });
    for (const each of await Promise.all(answers)) assert.match(each, /one:3 Lineage=one:3/);
    assert.deepEqual(
      asked.map(({ length }) => length),
      [1, 3],
    );
  });
});
