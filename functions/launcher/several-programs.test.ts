/** Programs that run next to each other in one sandbox. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';

import { ownSeconds } from './testing/host-processes.ts';
import { findLauncher, processesWith } from './testing/launcher-pid.ts';
import { startTestLauncher } from './testing/test-launcher.ts';
import type { TestLauncher } from './testing/test-launcher.ts';

const linux = process.platform === 'linux';
const node = linux ? '/opt/node' : process.execPath;

describe('a sandbox with several programs', () => {
  let t: TestLauncher;
  before(async () => {
    t = await startTestLauncher();
  });
  after(() => t.close());

  const open = () =>
    t.open({ mounts: linux ? [{ from: process.execPath, to: node }] : [], memoryMiB: 256 });

  test('refuses a connection to what no one listens on', async () => {
    const sandbox = await open();
    await sandbox.listenOnLoopback(() => {});
    await assert.rejects(sandbox.connectToLoopback(1));
    await sandbox.close();
  });

  test('lets them share /tmp and the loopback, and us reach what they listen on', async () => {
    const sandbox = await open();
    await sandbox.listenOnLoopback(() => {});
    const server =
      'const s=require("net").createServer((c)=>c.once("data",()=>c.end("from inside")));' +
      's.listen(0,"127.0.0.1",()=>{require("fs").writeFileSync("/tmp/port",String(s.address().port));' +
      'console.log("listening on "+s.address().port+".")})';
    const first = await sandbox.start(t.program(`${node} -e '${server}'`));
    await t.printed('listening on');
    const client =
      'require("net").connect({host:"127.0.0.1",port:Number(require("fs").readFileSync("/tmp/port"))})' +
      '.on("data",(d)=>console.log("heard "+d)).write("hello")';
    const second = await sandbox.start(t.program(`cat /tmp/port; ${node} -e '${client}'`));
    await t.printed('heard from inside');
    assert.deepEqual(await second.ended, { kind: 'exited', status: 0 });
    // The first has not noticed.
    const third = await sandbox.start(t.program('echo port "<$(cat /tmp/port)>"; sleep 12321'));
    const port = Number(/<(\d+)>/.exec(await t.printed(/port <\d+>/))?.[1]);
    const socket = await sandbox.connectToLoopback(port);
    socket.write('hello');
    assert.equal(await text(socket), 'from inside');
    if (!socket.closed) await once(socket, 'close');
    await sandbox.close();
    assert.equal((await first.ended).kind, 'killed');
    assert.equal((await third.ended).kind, 'killed');
  });

  test('asks one to end', async () => {
    const sandbox = await open();
    const program = await sandbox.start(
      t.program('trap "echo asked; exit 5" TERM; echo up; sleep 60 & wait'),
    );
    await t.printed('up');
    program.terminate();
    assert.deepEqual(await program.ended, { kind: 'exited', status: 5 });
    await t.printed('asked');
    await sandbox.close();
  });

  test('ends those that are being started when it is closed', async () => {
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const sandbox = await open();
      const seconds = ownSeconds(76_597);
      const starting = sandbox.start(t.program(`sleep ${seconds}`));
      const closed = sandbox.close();
      const { ended } = await starting;
      await closed;
      assert.notDeepEqual(await ended, { kind: 'lost' });
      assert.deepEqual(await processesWith(`sleep\0${seconds}`), []);
    }
  });

  test('has one network, however many ask for it at the same time', async () => {
    const own = await openNetworks();
    const sandbox = await open();
    try {
      const addresses = await Promise.all([1, 2, 3].map(() => sandbox.listenOnLoopback(() => {})));
      assert.equal(new Set(addresses).size, 3);
      assert.ok((await openNetworks()) <= own + 1);
    } finally {
      await sandbox.close();
    }
    assert.equal(await openNetworks(), own);
  });

  /** Of the launcher; none where the host has no namespaces for it. */
  async function openNetworks(): Promise<number> {
    const folder = `/proc/${await findLauncher()}/fd`;
    const numbers = await readdir(folder).catch(() => []);
    const files = await Promise.all(
      numbers.map((number) => readlink(join(folder, number)).catch(() => '')),
    );
    return files.filter((file) => file.startsWith('net:')).length;
  }
});
