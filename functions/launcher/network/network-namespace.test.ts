import assert from 'node:assert/strict';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readlinkSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { findHostTools } from '../process/host-tools.ts';
import { startProcess } from '../process/start-process.ts';
import { makeNetworkNamespace, type NetworkTools } from './network-namespace.ts';
import { NamespaceThread } from './namespace-thread.ts';

const service = { address: '127.0.0.2', port: 443, name: 'hob.example' };
const isRoot = process.platform === 'linux' && process.getuid?.() === 0;

describe('a network namespace that a thread makes', { skip: !isRoot && 'needs root' }, () => {
  let thread: NamespaceThread;
  let tools: NetworkTools;
  const ownNamespace = readlinkSync('/proc/self/ns/net');

  before(async () => {
    const started = await NamespaceThread.start();
    assert.ok(started);
    thread = started;
    // None of these is started.
    tools = { unshare: '', sh: '', nsenter: '', ip: undefined, loopbackUp: '', thread };
  });
  after(() => thread.close());

  /** Of this process's threads. */
  function namespacesInUse(): string[] {
    return readdirSync('/proc/self/task').map((id) => readlinkSync(`/proc/self/task/${id}/ns/net`));
  }

  it('has a listener at the address of the service, without starting a program', async () => {
    const namespace = await makeNetworkNamespace(tools, service);
    const at = { address: '127.0.0.2', family: 'IPv4', port: 443 };
    assert.deepEqual(namespace.service?.address(), at);
    await namespace.close();
  });

  it('is reached from inside only, at each of its listeners', async () => {
    const namespace = await makeNetworkNamespace(tools, service);
    const other = await namespace.listen('::1', 0);
    const address = other.address();
    assert.ok(namespace.service && typeof address === 'object' && address !== null);
    for (const [server, host, port] of [
      [namespace.service, '127.0.0.2', 443],
      [other, '::1', address.port],
    ] as const) {
      const accepted = once(server, 'connection');
      (await namespace.connect(host, port)).destroy();
      const [incoming]: unknown[] = await accepted;
      assert.ok(incoming);
      const outside = connect({ host, port });
      await assert.rejects(once(outside, 'connect'), { code: 'ECONNREFUSED' });
    }
    other.close();
    await namespace.close();
  });

  it('has no connection to a port that no one listens on', async () => {
    const namespace = await makeNetworkNamespace(tools, service);
    await assert.rejects(namespace.connect('127.0.0.1', 1), /connect failed \(errno 111\)/);
    await namespace.close();
  });

  it('has no connection to an address that is not in it', async () => {
    const namespace = await makeNetworkNamespace(tools, service);
    for (const address of ['192.0.2.1', '2001:db8::1']) {
      await assert.rejects(namespace.connect(address, 80), /connect failed: no route/);
    }
    await namespace.close();
  });

  it('gives up connections that a program lets wait', async () => {
    const { nsenter = '' } = findHostTools();
    const namespace = await makeNetworkNamespace({ ...tools, nsenter }, service);
    const script = `require('net').createServer().listen({ host: '127.0.0.1', port: 80, backlog: 1 }, () => {
      require('fs').writeSync(1, 'listening');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`;
    const program = await startProcess(namespace.enter([process.execPath, '-e', script]), [
      'ignore',
      'pipe',
      'inherit',
    ]);
    assert.ok(program.stdout);
    await once(program.stdout, 'data');
    const connections = await Promise.allSettled(
      [1, 2, 3, 4].map(() => namespace.connect('127.0.0.1', 80)),
    );
    const waiting = connections.filter((each) => each.status === 'rejected');
    for (const each of connections) if (each.status === 'fulfilled') each.value.destroy();
    program.kill('SIGKILL');
    await namespace.close();
    assert.match(String(waiting[0]?.reason), /127\.0\.0\.1:80 does not answer/);
  });

  it('is left by the thread, and is not that of the host', async () => {
    const namespace = await makeNetworkNamespace(tools, service);
    const made = readlinkSync(namespace.path);
    assert.match(made, /^net:/);
    assert.notEqual(made, ownNamespace);
    assert.ok(!namespacesInUse().includes(made));
    assert.equal(readlinkSync('/proc/self/ns/net'), ownNamespace);
    await namespace.close();
  });

  it('refuses an address that it does not have, and the next one is made', async () => {
    const namespace = await makeNetworkNamespace(tools);
    await assert.rejects(namespace.listen('192.0.2.1', 80), /bind to 192\.0\.2\.1:80 failed/);
    await assert.rejects(namespace.listen('localhost', 80), /localhost is not an address/);
    const made = readlinkSync(namespace.path);
    assert.ok(!namespacesInUse().includes(made));
    await namespace.close();
    await (await makeNetworkNamespace(tools, service)).close();
  });

  it('is closed after what was asked for before', async () => {
    const namespace = await makeNetworkNamespace(tools);
    const listening = namespace.listen('127.0.0.1', 0);
    const closed = namespace.close();
    (await listening).close();
    await closed;
  });

  it('is closed once, whatever has its descriptor later', async () => {
    const namespace = await makeNetworkNamespace(tools);
    const descriptor = Number(basename(namespace.path));
    await namespace.close();
    const opened: number[] = [];
    try {
      while (!opened.includes(descriptor) && opened.length < 256) {
        opened.push(openSync('/dev/null', 'r'));
      }
      assert.ok(opened.includes(descriptor));
      await namespace.close();
      assert.equal(readlinkSync(`/proc/self/fd/${descriptor}`), '/dev/null');
      await assert.rejects(namespace.listen('127.0.0.1', 0), /The network namespace is closed/);
      await assert.rejects(namespace.connect('127.0.0.1', 1), /The network namespace is closed/);
    } finally {
      for (const file of opened) closeSync(file);
    }
  });
});

describe('a network namespace that programs make', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-namespace-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function script(name: string, text: string): Promise<string> {
    const path = join(folder, name);
    await writeFile(path, `#!/bin/sh\n${text}\n`);
    await chmod(path, 0o755);
    return path;
  }

  it('has a listener without reading files of Hob, which an update may have replaced', async () => {
    const recorded = join(folder, 'arguments');
    const unshare = await script('unshare', 'echo up && read end');
    const nsenter = await script('nsenter', `printf '%s\\n' "$@" > '${recorded}'\nexit 1`);
    const tools = { unshare, nsenter, sh: '', ip: undefined, loopbackUp: '', thread: undefined };
    const making = makeNetworkNamespace(tools, service);
    await assert.rejects(making, /Cannot use 127\.0\.0\.2:443 in a network namespace/);
    const command = await readFile(recorded, 'utf8');
    assert.match(command, /server\.listen\(/);
    assert.doesNotMatch(command, /^\/.*\.c?[jt]s$/m);
  });
});
