import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';

import { pino } from 'pino';

import type { Launcher, Sandbox, Program } from '../launcher/launcher.ts';
import { servedOperations } from '../routes.ts';
import { arnOf, createTestFunctions, type TestFunctions } from '../testing/test-functions.ts';
import { createServiceInside, type ServiceInside } from './service-inside.ts';

const program: Program = { command: ['none'], environment: {}, directory: '/', output: '/none' };

describe('the service as durable functions reach it', () => {
  let inside: ServiceInside;
  let functions: TestFunctions;
  let loopback: Server;
  let location: Sandbox;
  const started: Program[] = [];

  before(async () => {
    inside = createServiceInside();
    functions = await createTestFunctions();
    loopback = createServer();
    loopback.listen(0, '127.0.0.1');
    await once(loopback, 'listening');
    location = await inside.reachedBy(launcherOf(loopback, started)).open({
      id: 'one',
      memoryMiB: 128,
      ephemeralStorageMiB: 512,
      mounts: [],
      network: { kind: 'none' },
    });
  });
  after(async () => {
    await inside.close();
    loopback.close();
    await functions.close();
  });

  const address = (): string => started.at(-1)?.environment['AWS_ENDPOINT_URL_LAMBDA'] ?? '';
  const ask = (method: string, path: string): Promise<Response> =>
    fetch(`${address()}${path}`, {
      method,
      headers: { connection: 'close' },
      ...(method === 'POST' ? { body: '{}' } : {}),
    });

  const connected = async (): Promise<Socket> => {
    const socket = connect(Number(new URL(address()).port), '127.0.0.1');
    // The server may reset it.
    socket.on('error', () => {});
    await once(socket, 'connect');
    return socket;
  };
  const closing = (socket: Socket): Promise<void> => {
    socket.resume();
    return new Promise((resolve) => socket.once('close', () => resolve()));
  };
  const openConnections = (): Promise<number> =>
    promisify(loopback.getConnections.bind(loopback))();

  it('is named to their programs, unless they name one', async () => {
    for (const name of ['AWS_ENDPOINT_URL_LAMBDA', 'AWS_ENDPOINT_URL']) {
      const environment = { [name]: 'http://elsewhere' };
      await location.start({ ...program, environment });
      assert.deepEqual(started.at(-1)?.environment, environment);
    }
    await location.start(program);
    assert.match(address(), /^http:\/\/127\.0\.0\.1:\d+$/);
    const first = address();
    await location.start(program);
    assert.equal(address(), first);
  });

  it('is away until it can answer', async () => {
    assert.equal((await ask('GET', '/2025-12-01/durable-executions/a/state')).status, 503);
    await inside.serve(
      servedOperations(functions.ports),
      functions.ports,
      pino({ enabled: false }),
    );
  });

  it('has what executions need', async () => {
    const arn = encodeURIComponent(`${arnOf('f')}:1/durable-execution/name/key`);
    for (const [method, path] of [
      ['GET', `/2025-12-01/durable-executions/${arn}/state?CheckpointToken=a`],
      ['POST', `/2025-12-01/durable-executions/${arn}/checkpoint`],
      ['POST', '/2025-12-01/durable-execution-callbacks/id/succeed'],
      ['POST', '/2025-12-01/durable-execution-callbacks/id/fail'],
      ['POST', '/2025-12-01/durable-execution-callbacks/id/heartbeat'],
    ] as const) {
      const answer = await ask(method, path);
      // Reached, and refused there: there is no such execution.
      assert.notEqual(answer.headers.get('x-amzn-errortype'), 'AccessDeniedException', path);
      assert.ok(answer.headers.has('x-amzn-requestid'), path);
    }
  });

  it('has nothing else', async () => {
    for (const [method, path] of [
      ['GET', '/'],
      ['GET', '/api/v3/user'],
      ['GET', '/2015-03-31/functions'],
      ['POST', '/2015-03-31/functions/fn/invocations'],
      ['GET', '/2025-12-01/durable-executions/arn'],
      ['POST', '/2025-12-01/durable-executions/arn/stop'],
      ['POST', '/2025-12-01/durable-executions/arn/state'],
      ['GET', '/2025-12-01/durable-executions/arn/checkpoint'],
      ['GET', '/2025-12-01/functions/fn/durable-executions'],
      ['GET', '//2025-12-01/durable-executions/arn/state'],
      ['GET', '/2025-12-01/durable-executions/%ff/state'],
    ] as const) {
      const answer = await ask(method, path);
      assert.equal(answer.status, 403, `${method} ${path}`);
      assert.match(await answer.text(), /AccessDeniedException|Only durable execution operations/);
    }
  });

  it('decides on the operation that a request is routed to, whatever its path looks like', async () => {
    // A fragment and a query end what the router looks at.
    for (const path of ['arn#/state', 'arn?/state', 'arn/history#/state', 'arn/state/../stop']) {
      const socket = await connected();
      const request = `GET /2025-12-01/durable-executions/${path} HTTP/1.1`;
      socket.write(`${request}\r\nhost: a\r\nconnection: close\r\n\r\n`);
      assert.match(await text(socket), /^HTTP\/1\.1 403 /, path);
    }
  });

  it('keeps no connection that sends no request', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const accepting = once(loopback, 'connection');
    const socket = await connected();
    socket.write('GET /2025-12-01/durable');
    await accepting;
    context.mock.timers.tick(9999);
    assert.equal(await openConnections(), 1);
    context.mock.timers.tick(1);
    await closing(socket);
  });

  it('takes as many connections of an environment as a client opens, and no more', async () => {
    const sockets: Socket[] = [];
    const closed: Promise<void>[] = [];
    for (let count = 0; count < 60; count += 1) {
      const socket = await connected();
      sockets.push(socket);
      closed.push(closing(socket));
    }
    // Those past the limit are closed at once, the others only now.
    await Promise.all(closed.slice(50));
    assert.ok(sockets.slice(0, 50).every((socket) => !socket.destroyed));
    for (const socket of sockets) socket.destroy();
    await Promise.all(closed);
  });
});

/** Its addresses are all on the loopback of this process. */
function launcherOf(loopback: Server, started: Program[]): Launcher {
  const location: Sandbox = {
    async start(what) {
      started.push(what);
      return {
        ended: new Promise(() => {}),
        kill: async () => {},
        throttle() {},
        peakMemory: async () => 0,
      };
    },
    async listenInside(onConnection: (socket: Socket) => void) {
      loopback.on('connection', onConnection);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
      const { port } = loopback.address() as AddressInfo;
      return `127.0.0.1:${port}`;
    },
    connectInside: async () => {
      throw new Error('No one listens inside.');
    },
    onLost() {},
    close: async () => {},
  };
  return {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing here asks for it
    isolation: {} as Launcher['isolation'],
    open: async () => location,
    close: async () => {},
  };
}
