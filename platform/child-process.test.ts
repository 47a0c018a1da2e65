import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { text } from 'node:stream/consumers';

import { startChild, startTalkingChild } from './child-process.ts';
import type { Child } from './child-process.ts';

function shell(script: string): Child {
  return startChild({
    command: 'sh',
    arguments: ['-c', script],
    environment: { PATH: '/usr/bin:/bin', ONLY: 'this' },
    directory: '/',
  });
}

suite('child processes', () => {
  test('that cannot be started say so at their end', async () => {
    const child = startChild({
      command: '/nonexistent/program',
      arguments: [],
      environment: {},
      directory: '/',
    });
    child.stdin.end('input that nobody reads');
    child.kill();
    const end = await child.ended;
    assert.equal(end.status, undefined);
    assert.match(end.startError?.message ?? '', /ENOENT/);
  });

  test('that end before they read their input are no error', async () => {
    const child = shell('exit 3');
    child.stdin.end(Buffer.alloc(1_000_000));
    assert.deepEqual(await child.ended, { status: 3, signal: undefined, startError: undefined });
  });

  test('are killed with everything that they started', async () => {
    const child = shell('sleep 60 & echo started; sleep 60');
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.kill();
    // Both sleepers hold the output open: it ends only when both are gone.
    const end = await child.ended;
    assert.deepEqual([end.status, end.signal], [undefined, 'SIGKILL']);
    child.kill();
  });

  test('have the environment that they are given and nothing more', async () => {
    const child = shell('env');
    const output = await text(child.stdout);
    // The shell adds a few of its own.
    assert.match(output, /^ONLY=this$/m);
    assert.doesNotMatch(output, /^(?:HOME|USER|LANG|NODE_OPTIONS|npm_config_[^=]*)=/m);
    assert.equal((await child.ended).status, 0);
  });

  test('that are ours take messages and answer them', async () => {
    const child = startTalkingChild({
      command: process.execPath,
      arguments: [
        '-e',
        'process.on("message",(m)=>process.send(m+1));process.stdin.on("end",()=>process.disconnect()).resume()',
      ],
      environment: {},
      directory: '/',
    });
    child.stdout.resume();
    child.stderr.resume();
    const response = await new Promise((resolve) => {
      child.onMessage(resolve);
      child.send(41);
    });
    assert.equal(response, 42);
    child.stdin.end();
    assert.equal((await child.ended).status, 0);
    child.send('to nobody');
  });
});
