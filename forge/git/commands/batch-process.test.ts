import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { startChild } from '#platform/child-process.ts';
import type { Child } from '#platform/child-process.ts';

import { contentRequest, infoRequest } from './cat-file.ts';
import { Helper, HelperLost } from './batch-process.ts';
import { HelperPool } from './batch-process-pool.ts';
import { parseMerge } from './merge-tree.ts';

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

suite('helpers', () => {
  test('are given up when they stay silent', async () => {
    const helper = new Helper(startScript('read line; sleep 60'), {
      ...settings,
      responseSeconds: 0.05,
    });
    await assert.rejects(helper.send(infoRequest(id)), /no output for 0.05 seconds/);
    assert.equal(helper.usable, false);
    await assert.rejects(helper.send(infoRequest(id)), HelperLost);
    await helper.kill();
  });

  test('are given up when they say what cannot be read', async () => {
    const helper = new Helper(startScript('read line; echo nonsense; cat >/dev/null'), settings);
    await assert.rejects(helper.send(infoRequest(id)), /invalid output/);
    await helper.kill();
  });

  test('are given up when they say more than was asked', async () => {
    const script = `read line; printf '${id} blob 1\\nxy\\n'; cat >/dev/null`;
    const helper = new Helper(startScript(script), settings);
    await assert.rejects(helper.send(contentRequest(id)), /longer than announced/);
    await helper.kill();
    const talker = new Helper(startScript(`echo '${id} missing'; cat >/dev/null`), settings);
    while (talker.usable) await new Promise((resolve) => setImmediate(resolve));
    await assert.rejects(talker.send(infoRequest(id)), /unexpected output/);
    await talker.kill();
  });

  test('fail all pending questions when they die, with the end of their standard error', async () => {
    const helper = new Helper(startScript('read line; echo why >&2; exit 3'), settings);
    const responses = await Promise.allSettled([1, 2, 3].map(() => helper.send(infoRequest(id))));
    assert.ok(responses.every((response) => response.status === 'rejected'));
    await assert.rejects(helper.send(infoRequest(id)), HelperLost);
    await helper.kill();
  });

  test('read answers that come in pieces of any size', async () => {
    const response = `${id} blob 5\nab\ncd\n${id} missing\n`;
    const slow = response
      .split('')
      .map((letter) => `printf '${letter === '\n' ? '\\n' : letter}'`)
      .join(';');
    const helper = new Helper(startScript(`${slow}; cat >/dev/null`), settings);
    const [content, missing] = await Promise.all([
      helper.send(contentRequest(id)),
      helper.send(infoRequest(id)),
    ]);
    assert.equal(content?.content.toString(), 'ab\ncd');
    assert.equal(missing, undefined);
    assert.equal(helper.idle, true);
    await helper.kill();
  });

  test('answer what was asked before they retire', async () => {
    const script = `while read line; do echo '${id} commit 7'; done`;
    const helper = new Helper(startScript(script), settings);
    const responses = [1, 2, 3].map(() => helper.send(infoRequest(id)));
    helper.retire();
    assert.equal(helper.usable, false);
    for (const response of await Promise.all(responses)) assert.equal(response?.type, 'commit');
    await helper.kill();
  });

  test('are replaced after so many responses, and the least used first when there are too many', async () => {
    const pool = new HelperPool({ helpersMax: 2, idleSeconds: 60 });
    const started: Helper[] = [];
    const start = () => {
      const script = `while read line; do echo '${id} commit 7'; done`;
      const helper = new Helper(startScript(script), { ...settings, maxResponses: 2 });
      started.push(helper);
      return helper;
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
      started.map((helper) => helper.usable),
      [false, false, true, true],
    );
    await pool.drop(2);
    assert.equal(started[2]?.usable, false);
    await pool.close();
    assert.equal(started[3]?.usable, false);
    for (const helper of started) await helper.kill();
  });

  test('end when they were idle for a while', async () => {
    const pool = new HelperPool({ helpersMax: 2, idleSeconds: 0.02 });
    const helper = pool.get(1, () => new Helper(startScript('cat >/dev/null'), settings));
    while (helper.usable) await new Promise((resolve) => setTimeout(resolve, 5));
    await pool.close();
    await helper.kill();
  });
});

suite('merge answers', () => {
  test('that are none are refused', () => {
    for (const fields of [[], ['2', id], ['1'], ['1', 'tree'], ['', id]]) {
      assert.throws(() => parseMerge(fields));
    }
  });

  test('name each path once', () => {
    const stages = ['b', 'a', 'b'].map((path, index) => `100644 ${id} ${index + 1}\t${path}`);
    assert.deepEqual(parseMerge(['0', id, ...stages]), { kind: 'conflict', paths: ['a', 'b'] });
    assert.deepEqual(parseMerge(['1', id]), { kind: 'clean', tree: id });
  });
});
