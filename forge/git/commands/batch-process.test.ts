import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { startChild } from '#platform/child-process.ts';
import type { Child } from '#platform/child-process.ts';

import { contentRequest, infoRequest } from './cat-file.ts';
import { BatchProcess, BatchProcessLost, BatchProcessPool } from './batch-process.ts';

const id = '1'.repeat(40);
const settings = { responseSeconds: 30, maxResponses: 100 };

/** A program that replaces git: it reads lines into the shell's `line`. */
function startScript(script: string): Child {
  return startChild({
    command: 'sh',
    arguments: ['-c', script],
    environment: { PATH: '/usr/bin:/bin' },
    directory: '/',
  });
}

suite('batch processes', () => {
  test('are given up when they stay silent', async () => {
    const batch = new BatchProcess(startScript('read line; sleep 60'), {
      ...settings,
      responseSeconds: 0.05,
    });
    await assert.rejects(batch.send(infoRequest(id)), /no output for 0.05 seconds/);
    assert.equal(batch.usable, false);
    await assert.rejects(batch.send(infoRequest(id)), BatchProcessLost);
    await batch.kill();
  });

  test('are given up when they say what cannot be read', async () => {
    const batch = new BatchProcess(
      startScript('read line; echo nonsense; cat >/dev/null'),
      settings,
    );
    await assert.rejects(batch.send(infoRequest(id)), /invalid output/);
    await batch.kill();
  });

  test('are given up when they say more than was asked', async () => {
    const script = `read line; printf '${id} blob 1\\nxy\\n'; cat >/dev/null`;
    const batch = new BatchProcess(startScript(script), settings);
    await assert.rejects(batch.send(contentRequest(id)), /longer than announced/);
    await batch.kill();
    const talker = new BatchProcess(startScript(`echo '${id} missing'; cat >/dev/null`), settings);
    while (talker.usable) await new Promise((resolve) => setImmediate(resolve));
    await assert.rejects(talker.send(infoRequest(id)), /unexpected output/);
    await talker.kill();
  });

  test('fail all pending questions when they die, with the end of their standard error', async () => {
    const batch = new BatchProcess(startScript('read line; echo why >&2; exit 3'), settings);
    const responses = await Promise.allSettled([1, 2, 3].map(() => batch.send(infoRequest(id))));
    assert.ok(responses.every((response) => response.status === 'rejected'));
    await assert.rejects(batch.send(infoRequest(id)), BatchProcessLost);
    await batch.kill();
  });

  test('read answers that come in pieces of any size', async () => {
    const response = `${id} blob 5\nab\ncd\n${id} missing\n`;
    const slow = response
      .split('')
      .map((letter) => `printf '${letter === '\n' ? '\\n' : letter}'`)
      .join(';');
    const batch = new BatchProcess(startScript(`${slow}; cat >/dev/null`), settings);
    const [content, missing] = await Promise.all([
      batch.send(contentRequest(id)),
      batch.send(infoRequest(id)),
    ]);
    assert.equal(content?.content.toString(), 'ab\ncd');
    assert.equal(missing, undefined);
    assert.equal(batch.idle, true);
    await batch.kill();
  });

  test('answer what was asked before they retire', async () => {
    const script = `while read line; do echo '${id} commit 7'; done`;
    const batch = new BatchProcess(startScript(script), settings);
    const responses = [1, 2, 3].map(() => batch.send(infoRequest(id)));
    batch.retire();
    assert.equal(batch.usable, false);
    for (const response of await Promise.all(responses)) assert.equal(response?.type, 'commit');
    await batch.kill();
  });

  test('are replaced after so many responses, and the least used first when there are too many', async () => {
    const pool = new BatchProcessPool({ processesMax: 2, idleSeconds: 60 });
    const started: BatchProcess[] = [];
    const start = () => {
      const script = `while read line; do echo '${id} commit 7'; done`;
      const batch = new BatchProcess(startScript(script), { ...settings, maxResponses: 2 });
      started.push(batch);
      return batch;
    };
    const send = (repository: number) => pool.get(repository, start).send(infoRequest(id));
    await send(1);
    await send(1);
    assert.equal(started.length, 1);
    await send(1);
    assert.equal(started.length, 2);
    await send(2);
    await send(3);
    assert.deepEqual(
      started.map((batch) => batch.usable),
      [false, false, true, true],
    );
    await pool.drop(2);
    assert.equal(started[2]?.usable, false);
    await pool.close();
    assert.equal(started[3]?.usable, false);
    for (const batch of started) await batch.kill();
  });

  test('end when they were idle for a while', async () => {
    const pool = new BatchProcessPool({ processesMax: 2, idleSeconds: 0.02 });
    const batch = pool.get(1, () => new BatchProcess(startScript('cat >/dev/null'), settings));
    while (batch.usable) await new Promise((resolve) => setTimeout(resolve, 5));
    await pool.close();
    await batch.kill();
  });
});
