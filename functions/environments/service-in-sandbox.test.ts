import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { clientOf } from '#platform/client-address.ts';

import type { Network } from '../launcher/launcher.ts';
import type { SandboxClient, SharingProgram } from '../ports/sandbox-server.ts';
import { InvocationChain } from './invocation-chain.ts';
import {
  certificatesMount,
  openServiceInSandbox,
  openServiceOfSandboxes,
  recogniseRequests,
  serviceAddress,
} from './service-in-sandbox.ts';
import { startRealEnvironments, type RealEnvironments } from './testing/real-environments.ts';
import type { VersionSpec } from './version-spec.ts';

const baseUrl = 'http://hob.example:3000';
const durable = { DurableConfig: { ExecutionTimeout: 60, RetentionPeriodInDays: 1 } };

describe('the server inside an environment', () => {
  let environments: RealEnvironments;
  let loopback: Server;
  let usual: VersionSpec;
  let durableSpec: VersionSpec;
  let accepted: { readonly socket: Socket; readonly client: SandboxClient }[] = [];

  before(async () => {
    environments = await startRealEnvironments();
    usual = await environments.spec({ 'index.js': '' });
    durableSpec = await environments.spec({ 'index.js': '' }, durable);
    loopback = createServer();
    loopback.listen(0, '127.0.0.1');
    await once(loopback, 'listening');
  });
  after(async () => {
    loopback.close();
    await environments.close();
  });

  interface Options {
    readonly baseUrl?: string | undefined;
    readonly spec?: VersionSpec;
    readonly own?: Readonly<Record<string, string>>;
    readonly network?: Network['kind'];
    /** Whether the sandbox has a loopback of its own. */
    readonly ownLoopback?: boolean;
    readonly hasAuthority?: boolean;
    readonly id?: string;
  }

  /** The sandbox's loopback is that of this process. */
  async function open(options: Options): Promise<Readonly<Record<string, string>>> {
    const { spec = usual, own = {}, network = 'none', ownLoopback = true } = options;
    const listen = (onConnection: (socket: Socket) => void): void => {
      loopback.removeAllListeners('connection');
      loopback.on('connection', onConnection);
    };
    accepted = [];
    const sandbox = {
      start: unexpected,
      connectToLoopback: unexpected,
      onLost() {},
      async close() {},
      async serveOnLoopback(onConnection: (socket: Socket) => void) {
        if (ownLoopback) listen(onConnection);
        return ownLoopback;
      },
      async listenOnLoopback(onConnection: (socket: Socket) => void) {
        listen(onConnection);
        return '127.0.0.1:4000';
      },
    };
    const { network: networkEnforcement } = environments.isolation.enforced;
    const strength = ownLoopback ? 'full' : 'none';
    const enforced = {
      ...environments.isolation.enforced,
      network: { ...networkEnforcement, strength },
    } as const;
    const host: Parameters<typeof openServiceInSandbox>[0] = {
      region: 'us-east-1',
      accountId: '123456789012',
      launcher: { isolation: { tier: 'full', enforced } },
      service: {
        server: {
          servesBaseUrl: true,
          authority: undefined,
          accept: (socket, client) => accepted.push({ socket, client }),
          recognise: () => () => {},
        },
        baseUrl: 'baseUrl' in options ? options.baseUrl : baseUrl,
        hasAuthority: options.hasAuthority ?? false,
        certificatesFolder: '/certificates',
      },
    };
    const id = options.id ?? '0123456789abcdef';
    const chain = new InvocationChain('');
    return openServiceInSandbox(host, { sandbox, spec, id, network, chain, own });
  }

  async function connected(): Promise<Socket> {
    const accepting = once(loopback, 'connection');
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
    const socket = connect((loopback.address() as AddressInfo).port, '127.0.0.1');
    // The server may reset it.
    socket.on('error', () => {});
    await accepting;
    return socket;
  }

  it('is named to programs as GitHub Actions and the SDKs of AWS name theirs', async () => {
    assert.deepEqual(await open({}), {
      GITHUB_SERVER_URL: baseUrl,
      GITHUB_API_URL: `${baseUrl}/api/v3`,
      GITHUB_GRAPHQL_URL: `${baseUrl}/api/graphql`,
      AWS_ENDPOINT_URL: baseUrl,
    });
  });

  it('has its private authority named to every client that reads a variable', async () => {
    const variables = await open({ hasAuthority: true });
    assert.equal(variables['NODE_EXTRA_CA_CERTS'], '/etc/hob/authority.pem');
    for (const name of ['SSL_CERT_FILE', 'GIT_SSL_CAINFO', 'REQUESTS_CA_BUNDLE', 'AWS_CA_BUNDLE']) {
      assert.equal(variables[name], '/etc/hob/authorities.pem', name);
    }
  });

  it('is reached over the network of the host where programs share it', async () => {
    for (const network of ['host', 'none'] as const) {
      const variables = await open({ network, ownLoopback: false });
      assert.equal(variables['AWS_ENDPOINT_URL'], baseUrl);
    }
  });

  it('recognises the requests of programs that share the network of the host, and of no others', () => {
    const chain = new InvocationChain('');
    const owners = [{ kind: 'other' }] as const;
    const recognised = new Set<string>();
    const host = (strength: 'full' | 'none'): Parameters<typeof recogniseRequests>[0] => {
      const { enforced } = environments.isolation;
      const network = { ...enforced.network, strength };
      const isolation = { tier: 'full', enforced: { ...enforced, network } } as const;
      const server = {
        servesBaseUrl: true,
        authority: undefined,
        accept() {},
        recognise({ id }: SharingProgram) {
          recognised.add(id);
          return () => recognised.delete(id);
        },
      };
      return {
        launcher: { isolation, ownersOf: async () => owners },
        service: { server, baseUrl, hasAuthority: false, certificatesFolder: '/certificates' },
      };
    };
    recogniseRequests(host('full'), { id: 'one', network: 'none', chain });
    recogniseRequests(host('full'), { id: 'two', network: 'internet', chain });
    assert.equal(recognised.size, 0);
    const forget = recogniseRequests(host('full'), { id: 'three', network: 'host', chain });
    recogniseRequests(host('none'), { id: 'four', network: 'none', chain });
    assert.deepEqual([...recognised], ['three', 'four']);
    forget();
    assert.deepEqual([...recognised], ['four']);
  });

  it('is closed without the setting, except to durable functions', async () => {
    assert.deepEqual(await open({ baseUrl: undefined }), {});
    assert.deepEqual(await open({ baseUrl: undefined, spec: durableSpec }), {
      AWS_ENDPOINT_URL_LAMBDA: 'http://127.0.0.1:4000',
    });
    (await connected()).destroy();
    const [first] = accepted;
    assert.equal(first?.client.reach, 'durable-executions');
    assert.equal(first?.client.atBaseUrl, false);
  });

  it('is not named to durable functions that name one', async () => {
    for (const name of ['AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_LAMBDA']) {
      const own = { [name]: 'http://elsewhere' };
      assert.deepEqual(await open({ baseUrl: undefined, spec: durableSpec, own }), {});
    }
  });

  it('knows each function by a network of addresses, and each environment by an address', async () => {
    const addresses: string[] = [];
    for (const id of ['0123456789abcdef', 'fedcba9876543210']) {
      await open({ id });
      (await connected()).destroy();
      const [first] = accepted;
      addresses.push(first?.client.address ?? '');
      assert.equal(first?.client.functionArn, 'arn:aws:lambda:us-east-1:123456789012:function:f');
    }
    const [one = '', other = ''] = addresses;
    assert.match(one, /^fd[0-9a-f]{2}(?::[0-9a-f]{4}){3}:0123:4567:89ab:cdef$/);
    assert.notEqual(one, other);
    assert.equal(clientOf(one), clientOf(other));
  });

  it('takes as many connections of an environment as a client opens, and no more', async () => {
    await open({});
    const sockets: Socket[] = [];
    for (let count = 0; count < 50; count += 1) sockets.push(await connected());
    assert.equal(accepted.length, 50);
    const refused = await connected();
    refused.resume();
    await once(refused, 'close');
    assert.equal(accepted.length, 50);
    const [first] = accepted;
    sockets[0]?.destroy();
    first?.socket.resume();
    await once(first?.socket ?? loopback, 'close');
    sockets.push(await connected());
    assert.equal(accepted.length, 51);
    for (const socket of sockets) socket.destroy();
    for (const { socket } of accepted) socket.destroy();
  });
});

describe('the address of the server inside', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-service-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function addressAt(url: string, { forge = true, servesBaseUrl = true } = {}) {
    const server = { servesBaseUrl, authority: undefined, accept() {}, recognise: () => () => {} };
    const start = { forge, sandboxServer: server, folder };
    return serviceAddress(await openServiceOfSandboxes({ baseUrl: url }, start));
  }

  it('is the host and port of the base URL', async () => {
    const cases: readonly (readonly [string, string, number, string | undefined])[] = [
      ['http://127.0.0.1:3000', '127.0.0.1', 3000, undefined],
      ['http://[::1]:3000', '::1', 3000, undefined],
      ['http://192.0.2.7', '192.0.2.7', 80, undefined],
      ['http://localhost:3000', '127.0.0.1', 3000, 'localhost'],
      ['http://hob.localhost:3000', '127.0.0.1', 3000, 'hob.localhost'],
      ['https://hob.example', '127.0.0.2', 443, 'hob.example'],
    ];
    for (const [url, address, port, name] of cases) {
      assert.deepEqual(await addressAt(url), { address, port, name }, url);
    }
  });

  it('is none where the setting closes it, or a proxy has the certificate', async () => {
    assert.equal(await addressAt(baseUrl, { forge: false }), undefined);
    assert.equal(await addressAt('https://hob.example', { servesBaseUrl: false }), undefined);
  });

  it('comes with the private authority, in files that programs can read', async () => {
    const server = {
      servesBaseUrl: true,
      authority: 'PEM',
      accept() {},
      recognise: () => () => {},
    };
    const start = { forge: true, sandboxServer: server, folder };
    const service = await openServiceOfSandboxes({ baseUrl }, start);
    assert.deepEqual(certificatesMount({ service }), [
      { from: join(folder, 'certificates'), to: '/etc/hob' },
    ]);
  });
});

async function unexpected(): Promise<never> {
  throw new Error('Nothing asks for this.');
}
