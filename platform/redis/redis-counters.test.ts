import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';

import { openRedisCounters } from './redis-counters.ts';
import { readReply } from './redis-replies.ts';
import type { SharedCounters } from '../shared-counters.ts';
import { type CountingServer, startCountingServer } from '../testing/counting-server.ts';

describe('counters in Redis', () => {
  let server: CountingServer;
  let problems: string[];
  let now: number;
  let open: SharedCounters[];

  beforeEach(async () => {
    server = await startCountingServer();
    problems = [];
    now = 0;
    open = [];
  });
  afterEach(async () => {
    for (const counters of open) counters.close();
    await server.close();
  });

  function countersAt(url: URL, installation = 'one'): SharedCounters {
    const counters = openRedisCounters(url, {
      installation,
      onProblem: (problem) => problems.push(problem),
      now: () => now,
    });
    open.push(counters);
    return counters;
  }

  test('are one for all who count', async () => {
    const [one, other] = [countersAt(server.url), countersAt(server.url)];
    await one.add('a', 1, 5000);
    assert.deepEqual(await other.add('a', 2, 5000), { sum: 3, leftMilliseconds: 5000 });
    assert.deepEqual(await one.add('b', 0, 5000), { sum: 0, leftMilliseconds: 5000 });
    assert.deepEqual(problems, []);
    assert.deepEqual(server.commands.slice(0, 2), [
      ['AUTH', 'hob', 'secret'],
      ['SELECT', '3'],
    ]);
  });

  test('are others for another installation on the same server', async () => {
    const [one, other] = [countersAt(server.url), countersAt(server.url, 'other')];
    await one.add('a', 1, 5000);
    assert.equal((await other.add('a', 1, 5000))?.sum, 1);
  });

  test('answer in turn, however many ask at once', async () => {
    const counters = countersAt(server.url);
    const all = await Promise.all(Array.from({ length: 50 }, () => counters.add('a', 1, 5000)));
    assert.deepEqual(
      all.map((each) => each?.sum),
      Array.from({ length: 50 }, (_, at) => at + 1),
    );
  });

  test('are done without while the server is away, and found again after a pause', async () => {
    const counters = countersAt(server.url);
    await counters.add('a', 1, 5000);
    server.breakOff();
    while (problems.length === 0) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(problems, ['the connection was closed']);
    assert.equal(await counters.add('a', 1, 5000), undefined);
    now += 1000;
    assert.equal((await counters.add('a', 1, 5000))?.sum, 2);
  });

  test('are not waited for when the server says nothing', async () => {
    server.fallSilent();
    const counters = countersAt(server.url);
    assert.equal(await counters.add('a', 1, 5000), undefined);
    assert.deepEqual(problems, ['no response in time']);
  });

  test('are done without while the server refuses to count, which is reported once', async () => {
    const counters = countersAt(server.url);
    await counters.add('a', 1, 5000);
    server.refuseWith("READONLY You can't write against a read only replica.");
    const asked = server.commands.length;
    for (let second = 0; second < 3; second += 1) {
      for (let request = 0; request < 5; request += 1)
        assert.equal(await counters.add('a', 1, 5000), undefined);
      now += 1000;
    }
    assert.deepEqual(problems, ["READONLY You can't write against a read only replica."]);
    const commands = server.commands.slice(asked).filter(([name]) => name === 'EVAL');
    assert.ok(commands.length <= 3, `${commands.length} commands`);
    server.refuseWith(undefined);
    assert.equal((await counters.add('a', 1, 5000))?.sum, 2);
    now += 1000;
    server.breakOff();
    while (problems.length === 1) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(problems.slice(1), ['the connection was closed']);
  });

  test('are read from replies that come in pieces', () => {
    const whole = Buffer.from('*2\r\n:1\r\n$2\r\nab\r\n');
    for (let length = 0; length < whole.length; length += 1) {
      assert.equal(readReply(whole.subarray(0, length)), undefined);
    }
    assert.deepEqual(readReply(whole), { reply: [1, 'ab'], end: whole.length });
    assert.throws(() => readReply(Buffer.from('HTTP/1.1 400\r\n')));
  });

  const program = ['valkey-server', 'redis-server'].find(
    (name) => spawnSync(name, ['--version']).status === 0,
  );
  const skip = program === undefined && 'neither valkey-server nor redis-server is installed';

  test('are stored by a real server, and expire', { skip }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hob-redis-'));
    const port = await freePort();
    const command = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder];
    const child = spawn(program ?? '', command, { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      let said = '';
      for await (const chunk of child.stdout) {
        said += String(chunk);
        if (said.includes('Ready to accept connections')) break;
      }
      const counters = countersAt(new URL(`redis://127.0.0.1:${port}`));
      assert.equal((await counters.add('a', 1, 60_000))?.sum, 1);
      const counted = await counters.add('a', 1, 60_000);
      assert.equal(counted?.sum, 2);
      assert.ok(counted.leftMilliseconds > 0 && counted.leftMilliseconds <= 61_000);
      // Whoever counts: with the same second.
      const end = Date.now() + counted.leftMilliseconds;
      assert.ok(Math.abs(end - Math.round(end / 1000) * 1000) <= 250, String(end));
      assert.equal((await counters.add('a', -1, 60_000))?.sum, 1);
      // Given back to a counter that has ended.
      assert.equal((await counters.add('b', -1, 60_000))?.sum, 0);
      assert.equal((await counters.add('b', 1, 60_000))?.sum, 1);
      // Looked at before anything was counted: its time begins with the first that counts.
      assert.equal((await counters.add('c', 0, 60_000))?.sum, 0);
      const begun = await counters.add('c', 1, 1000);
      assert.equal(begun?.sum, 1);
      assert.ok(begun.leftMilliseconds <= 2000, String(begun.leftMilliseconds));
    } finally {
      child.kill();
      await once(child, 'exit');
      await rm(folder, { recursive: true, force: true });
    }
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
