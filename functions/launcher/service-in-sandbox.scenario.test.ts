/** The service's address as programs of sandboxes find it, and what else of the host they find there: nothing. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { after, before, describe, it } from 'node:test';

import type { Sandbox, ServiceAddress } from './launcher.ts';
import type { LauncherSettings } from './supervisor/start-launcher.ts';
import { startTestLauncher, type TestLauncher } from './testing/test-launcher.ts';

const variants: Record<string, Partial<LauncherSettings>> = {
  'in the strongest tier': {},
  'without bubblewrap': { without: ['bwrap'] },
  user: { strongestTier: 'user' },
  container: { strongestTier: 'container' },
  bare: { strongestTier: 'bare', without: ['setpriv'] },
  'without calls of C': { without: ['node:ffi'] },
};

/** A port that only an administrator of the namespace may listen on. */
const service: ServiceAddress = { address: '127.0.0.2', port: 443, name: 'hob.example' };

/** Prints what the other end of a connection sends, or the code of the error. */
const connecting = `
const { connect } = require('net');
const [host, port] = process.argv.slice(1);
const socket = connect({ host, port: Number(port) });
let text = '';
socket.on('data', (data) => { text += data; });
socket.on('error', (error) => console.log(error.code)).on('end', () => console.log(text));`;

const mounts = [{ from: process.execPath, to: '/opt/node' }];

async function heard(t: TestLauncher, sandbox: Sandbox, host: string, port: number) {
  const command = ['/opt/node', '-e', connecting, host, String(port)] as const;
  return (await t.run(sandbox, '', { command })).output.trim();
}

for (const [name, settings] of Object.entries(variants)) {
  describe(`the service's address, ${name}`, { skip: process.platform !== 'linux' }, () => {
    let t: TestLauncher;
    let hostServer: Server;
    let hostPort: number;
    let hasLoopbacks: boolean;

    before(async () => {
      hostServer = createServer((socket) => socket.end('the host'));
      hostServer.listen(0, '127.0.0.1');
      await once(hostServer, 'listening');
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
      hostPort = (hostServer.address() as AddressInfo).port;
      t = await startTestLauncher({ ...settings, service });
      hasLoopbacks = t.launcher.isolation.enforced.network.strength === 'full';
    });
    after(async () => {
      await t.close();
      hostServer.close();
    });

    const open = (): Promise<Sandbox> => t.open({ memoryMiB: 256, mounts });

    it('is served in every sandbox, each for itself', async () => {
      const sandboxes = await Promise.all(Array.from({ length: 6 }, open));
      try {
        for (const [index, sandbox] of sandboxes.entries()) {
          const served = await sandbox.serveOnLoopback((socket) => socket.end(`server ${index}`));
          assert.equal(served, hasLoopbacks);
        }
        if (!hasLoopbacks) return;
        for (const [index, sandbox] of sandboxes.entries()) {
          assert.equal(await heard(t, sandbox, 'hob.example', 443), `server ${index}`);
        }
        const [first] = sandboxes;
        if (first) assert.equal(await heard(t, first, '127.0.0.2', 443), 'server 0');
      } finally {
        for (const sandbox of sandboxes) await sandbox.close();
      }
    });

    it('is the only one of the host', async (context) => {
      if (!hasLoopbacks) return context.skip('programs share the network of the host');
      const sandbox = await open();
      await sandbox.serveOnLoopback((socket) => socket.end('service'));
      for (const [host, port] of [
        ['127.0.0.1', hostPort],
        ['127.0.0.2', hostPort],
        ['localhost', hostPort],
        ['127.0.0.1', 443],
      ] as const) {
        assert.equal(await heard(t, sandbox, host, port), 'ECONNREFUSED', `${host}:${port}`);
      }
      assert.match(await heard(t, sandbox, '192.0.2.1', 80), /^(ENETUNREACH|EHOSTUNREACH)$/);
      await sandbox.close();
    });

    it('is where a configured network has the name of the service, what is declared', async (context) => {
      if (!hasLoopbacks) return context.skip('programs share the network of the host');
      const forwardTo = `127.0.0.1:${hostPort}`;
      const sandbox = await t.open({
        memoryMiB: 256,
        mounts,
        network: { kind: 'declared', targets: [{ name: 'hob.example', port: 443, forwardTo }] },
      });
      await sandbox.serveOnLoopback((socket) => socket.end('service'));
      assert.equal(await heard(t, sandbox, 'hob.example', 443), 'the host');
      await sandbox.close();
    });

    it('is not served with the network of the host', async () => {
      const sandbox = await t.open({ network: { kind: 'host' } });
      assert.equal(await sandbox.serveOnLoopback(() => {}), false);
      await sandbox.close();
    });
  });
}

describe(
  'a service at an address that is not loopback',
  { skip: process.platform !== 'linux' },
  () => {
    for (const address of ['192.0.2.7', '2001:db8::7']) {
      it(`is served at ${address}`, async (context) => {
        const t = await startTestLauncher({ service: { address, port: 3000, name: undefined } });
        try {
          const sandbox = await t.open({ memoryMiB: 256, mounts });
          const served = await sandbox.serveOnLoopback((socket) => socket.end('service'));
          if (!served) return context.skip('this host has no namespaces, no ip or no IPv6');
          assert.equal(await heard(t, sandbox, address, 3000), 'service');
          await sandbox.close();
        } finally {
          await t.close();
        }
      });
    }

    it('is not served where the host has no means, and programs start all the same', async () => {
      const lines: string[] = [];
      const t = await startTestLauncher({
        service: { address: '192.0.2.7', port: 3000, name: undefined },
        without: ['ip'],
        log: (line) => lines.push(line),
      });
      const sandbox = await t.open();
      assert.equal(await sandbox.serveOnLoopback(() => {}), false);
      assert.equal((await t.run(sandbox, 'echo started')).output, 'started\n');
      await sandbox.close();
      if (t.launcher.isolation.enforced.network.strength === 'full') {
        assert.match(
          lines.join('\n'),
          /Install iproute2: 192\.0\.2\.7 is the host of the base URL/,
        );
      }
      await t.close();
    });
  },
);
