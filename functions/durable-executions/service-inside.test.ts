import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';

import Fastify, { type FastifyInstance } from 'fastify';

import type { Launcher, Place, Program } from '../launcher/launcher.ts';
import { createServiceInside, type ServiceInside } from './service-inside.ts';

const program: Program = { command: ['none'], environment: {}, directory: '/', output: '/none' };

describe('the service as durable functions reach it', () => {
  let inside: ServiceInside;
  let service: FastifyInstance;
  let loopback: Server;
  let place: Place;
  const started: Program[] = [];

  before(async () => {
    inside = createServiceInside();
    loopback = createServer();
    loopback.listen(0, '127.0.0.1');
    await once(loopback, 'listening');
    place = await inside.reachedBy(launcherOf(loopback, started)).open({
      id: 'one',
      memoryMiB: 128,
      temporaryMiB: 512,
      mounts: [],
      network: { kind: 'none' },
    });
    service = Fastify();
    service.all('/*', async ({ url, headers }) => ({ asked: url, host: headers.host }));
    await service.ready();
  });
  after(async () => {
    await inside.close();
    loopback.close();
    await service.close();
  });

  const address = (): string => started.at(-1)?.environment['AWS_ENDPOINT_URL_LAMBDA'] ?? '';
  const ask = (path: string): Promise<Response> =>
    fetch(`${address()}${path}`, { headers: { connection: 'close' } });

  it('is named to their programs, unless they name one', async () => {
    for (const name of ['AWS_ENDPOINT_URL_LAMBDA', 'AWS_ENDPOINT_URL']) {
      const environment = { [name]: 'http://elsewhere' };
      await place.start({ ...program, environment });
      assert.deepEqual(started.at(-1)?.environment, environment);
    }
    await place.start(program);
    assert.match(address(), /^http:\/\/127\.0\.0\.1:\d+$/);
    const first = address();
    await place.start(program);
    assert.equal(address(), first);
  });

  it('is away until it can answer', async () => {
    assert.equal((await ask('/2025-12-01/durable-executions/a/state')).status, 503);
    inside.answerBy(service);
  });

  it('has what executions need', async () => {
    for (const path of [
      '/2025-12-01/durable-executions/arn%3Aaws%2Fone/checkpoint',
      '/2025-12-01/durable-executions/arn/state?CheckpointToken=a',
      '/2025-12-01/durable-execution-callbacks/id/succeed',
      '/2025-12-01/durable-execution-callbacks/id/fail',
      '/2025-12-01/durable-execution-callbacks/id/heartbeat',
    ]) {
      assert.deepEqual(await (await ask(path)).json(), { asked: path, host: '' });
    }
  });

  it('has nothing else', async () => {
    for (const path of [
      '/',
      '/api/v3/user',
      '/2015-03-31/functions',
      '/2015-03-31/functions/fn/invocations',
      '/2025-12-01/durable-executions/arn',
      '/2025-12-01/durable-executions/arn/stop',
      '/2025-12-01/durable-executions/arn/state/../../../../api/v3/user',
      '/2025-12-01/functions/fn/durable-executions',
      '//2025-12-01/durable-executions/arn/state',
    ]) {
      const answer = await ask(path);
      assert.equal(answer.status, 403, path);
      assert.match(await answer.text(), /AccessDeniedException/);
    }
  });
});

/** Its places are all on the loopback of this process. */
function launcherOf(loopback: Server, started: Program[]): Launcher {
  const place: Place = {
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
      throw new Error('Nobody listens inside.');
    },
    close: async () => {},
  };
  return {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing here asks for it
    isolation: {} as Launcher['isolation'],
    open: async () => place,
    close: async () => {},
  };
}
