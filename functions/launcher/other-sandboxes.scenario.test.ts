/** What a program reaches of the programs of another sandbox: nothing, in any tier. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmod, mkdir, stat } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';

import type { PeerOwner, Sandbox } from './launcher.ts';
import type { LauncherSettings } from './supervisor/start-launcher.ts';
import { startTestLauncher } from './testing/test-launcher.ts';
import type { TestLauncher } from './testing/test-launcher.ts';

const variants: Record<string, Partial<LauncherSettings>> = {
  'in the strongest tier': {},
  'without bubblewrap': { without: ['bwrap'] },
  user: { strongestTier: 'user' },
  container: { strongestTier: 'container' },
  bare: { strongestTier: 'bare', without: ['setpriv'] },
};

interface Shared {
  readonly sandbox: Sandbox;
  /** On the host. */
  readonly socket: string;
  readonly server: Server;
}

for (const [name, settings] of Object.entries(variants)) {
  describe(`programs of two sandboxes, ${name}`, { skip: process.platform !== 'linux' }, () => {
    let t: TestLauncher;
    let own: Shared;
    let other: Shared;

    before(async () => {
      t = await startTestLauncher(settings);
      own = await open('own');
      other = await open('other');
    });
    after(async () => {
      for (const { sandbox, server } of [own, other]) {
        await sandbox.close();
        server.close();
      }
      await t.close();
    });

    async function open(folder: string): Promise<Shared> {
      await mkdir(join(t.folder, folder, 'in'), { recursive: true });
      await chmod(join(t.folder, folder), 0o711);
      const socket = join(t.folder, folder, 'in', 'runtime');
      const server = createServer((connection) => connection.end(`socket of ${folder}`));
      server.listen(socket);
      await once(server, 'listening');
      const sandbox = await t.open({
        id: folder,
        mounts: [
          { from: process.execPath, to: '/opt/node' },
          { from: join(t.folder, folder, 'in'), to: '/run/hob', sockets: true },
        ],
        memoryMiB: 256,
        network: { kind: 'host' },
      });
      return { sandbox, socket, server };
    }

    /** What a program of a sandbox hears when it connects: the other's data, or the code of an error, or nothing. */
    async function heard(sandbox: Sandbox, to: string): Promise<string> {
      const script =
        `const s = require('net').connect(${to});` +
        "let heard = ''; s.on('data', (data) => { heard += data; });" +
        "s.on('error', (error) => console.log(error.code)).on('end', () => console.log(heard));";
      const { output } = await t.run(sandbox, '', { command: ['/opt/node', '-e', script] });
      return output.trim();
    }

    test('connect to their own sockets', async () => {
      const path =
        t.launcher.isolation.enforced.files.strength === 'full' ? '/run/hob/runtime' : own.socket;
      assert.equal(await heard(own.sandbox, `{ path: '${path}' }`), 'socket of own');
    });

    test('do not connect to the sockets of each other', async (context) => {
      if (t.launcher.isolation.tier === 'bare') return context.skip('all are the user of Hob');
      assert.match(await heard(own.sandbox, `{ path: '${other.socket}' }`), /^(EACCES|ENOENT)$/);
    });

    test('have sockets that no one else on the host may connect to', async () => {
      const { mode, uid } = await stat(other.socket);
      assert.equal(mode & 0o777, 0o600);
      const ofUser = t.launcher.isolation.enforced.user.strength === 'full';
      assert.equal(uid > 1_900_000_000, ofUser);
      assert.equal((await stat(join(other.socket, '..'))).mode & 0o777, ofUser ? 0o750 : 0o700);
    });

    test('are connected to the loopback listeners of their own sandbox only', async () => {
      let connections = 0;
      const greet = (socket: Socket): void => {
        connections += 1;
        socket.on('error', () => {});
        socket.end('hello');
      };
      const [host = '', port] = (await other.sandbox.listenOnLoopback(greet)).split(':');
      const to = `{ host: '${host}', port: ${port} }`;
      const mapped = `{ host: '::ffff:${host}', port: ${port} }`;
      assert.match(await heard(own.sandbox, to), /^(ECONNRESET)?$/);
      assert.match(await heard(own.sandbox, mapped), /^(ECONNRESET)?$/);
      assert.equal(connections, 0);
      assert.equal(await heard(other.sandbox, to), 'hello');
      assert.equal(await heard(other.sandbox, mapped), 'hello');
    });

    /** Whose the kernel says a connection is, which `use` makes to a listener and leaves when that ends it. */
    async function ownerOf(
      listensAt: string,
      use: (port: number) => Promise<unknown>,
    ): Promise<PeerOwner | undefined> {
      const server = createServer();
      server.listen(0, listensAt);
      await once(server, 'listening');
      const connection = once(server, 'connection');
      const address = server.address();
      const used = use(typeof address === 'object' ? (address?.port ?? 0) : 0);
      const [socket] = await connection;
      const { localAddress = '', localPort = 0, remoteAddress = '', remotePort = 0 } = socket;
      const ends = { peerAddress: remoteAddress, peerPort: remotePort };
      const of = { address: localAddress, port: localPort, ...ends };
      const [owner] = await t.launcher.ownersOf([of]);
      socket.end('known');
      await used;
      server.close();
      return owner;
    }

    for (const [listensAt, host] of [
      ['127.0.0.1', '127.0.0.1'],
      ['::', '127.0.0.1'],
      ['::1', '::1'],
    ] as const) {
      test(`are known by their connections to ${host} at ${listensAt}`, async () => {
        for (const [id, { sandbox }] of Object.entries({ own, other })) {
          const owner = await ownerOf(listensAt, (port) =>
            heard(sandbox, `{ host: '${host}', port: ${port} }`),
          );
          assert.deepEqual(owner, { kind: 'sandbox', id });
        }
        const ours = await ownerOf(listensAt, (port) => text(connect(port, host)));
        assert.deepEqual(ours, { kind: 'other' });
      });
    }

    test('are not blamed for connections that are closed, or of other machines', async () => {
      const server = createServer({ allowHalfOpen: true });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const address = server.address();
      const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
      const client = connect(port, '127.0.0.1');
      const [socket] = await once(server, 'connection');
      client.destroy();
      await once(socket.resume(), 'end');
      const ends = { peerAddress: '127.0.0.1', peerPort: socket.remotePort };
      const closed = { address: '127.0.0.1', port, ...ends };
      const foreign = { ...closed, peerAddress: '192.0.2.1' };
      assert.deepEqual(await t.launcher.ownersOf([closed, foreign]), [
        { kind: 'closed' },
        { kind: 'other' },
      ]);
      socket.destroy();
      server.close();
    });
  });
}
