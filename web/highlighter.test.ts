import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';

import { createHighlighter } from './highlighter.ts';

describe('highlighting', () => {
  const patient = { pageMilliseconds: 60_000 };
  const highlighter = createHighlighter(patient);
  after(() => highlighter.close());

  test('marks a language by classes, a line each, and escapes what the text has', async () => {
    const lines = await highlighter.lines('one', 'const a = "<b>";\n// the end\n', 'typescript');
    assert.equal(lines?.length, 3);
    assert.match(lines[0] ?? '', /<span class="hljs-keyword">const<\/span>/);
    assert.match(lines[0] ?? '', /&lt;b&gt;/);
    assert.doesNotMatch(lines.join('\n'), /style=|<b>/);
  });

  test('opens again on each line what spans several', async () => {
    const lines = await highlighter.lines('two', '/* one\n two */\nx();', 'javascript');
    assert.deepEqual(lines?.slice(0, 2), [
      '<span class="hljs-comment">/* one</span>',
      '<span class="hljs-comment"> two */</span>',
    ]);
  });

  test('leaves what is too long, or of no known language, as it is', async () => {
    assert.equal(await highlighter.lines('three', 'x', 'no such language'), undefined);
    assert.equal(await highlighter.lines('four', 'x'.repeat(256 * 1024 + 1), 'css'), undefined);
  });

  test('ends a thread that takes too long, and goes on with another', async () => {
    const impatient = createHighlighter({ ...patient, milliseconds: 0 });
    try {
      const long = 'const a = `${b}`;\n'.repeat(10_000);
      assert.equal(await impatient.lines('long', long, 'typescript'), undefined);
      assert.equal(await impatient.lines('long', long, 'typescript'), undefined);
    } finally {
      await impatient.close();
    }
    assert.ok(await highlighter.lines('after', 'let a;', 'javascript'));
  });

  test('asks once for what several readers want at the same time, and keeps it', async () => {
    const text = 'let a = 1;\n'.repeat(50);
    const [one, other] = await Promise.all([
      highlighter.lines('same', text, 'javascript'),
      highlighter.lines('same', text, 'javascript'),
    ]);
    assert.equal(one, other);
    assert.equal(await highlighter.lines('same', 'other text', 'javascript'), one);
  });

  test('leaves as it is what would become a page out of proportion', async () => {
    const text = `${'`${'.repeat(1000)}${'\n'.repeat(3000)}`;
    assert.equal(await highlighter.lines('nested', text, 'javascript'), undefined);
  });

  test('keeps no page waiting for the texts of others, and has the colours later', async () => {
    const hurried = createHighlighter({ pageMilliseconds: 0 });
    try {
      const first = hurried.lines('a', 'let a;\n'.repeat(1000), 'javascript');
      assert.equal(await first, undefined);
      for (let asked = 0; asked < 100_000; asked += 1) {
        if (await hurried.lines('a', '', 'javascript')) return;
      }
      assert.fail('no colours came');
    } finally {
      await hurried.close();
    }
  });

  test('forgets what was used longest ago where results are too many', async () => {
    const small = createHighlighter({ ...patient, cachedCharactersMax: 100 });
    try {
      const first = await small.lines('a', 'let a;', 'javascript');
      await small.lines('b', `let ${'b'.repeat(100)};`, 'javascript');
      assert.notEqual(await small.lines('a', 'let a;', 'javascript'), first);
    } finally {
      await small.close();
    }
  });

  test('answers nobody after it was closed, and those who wait are not left alone', async () => {
    const unused = createHighlighter();
    const unstarted = unused.lines('x', 'let a;', 'javascript');
    await unused.close();
    assert.equal(await unstarted, undefined);
    const closing = createHighlighter();
    await closing.lines('x', 'let a;', 'javascript');
    const waiting = closing.lines('z', 'let a;\n'.repeat(20_000), 'typescript');
    await Promise.resolve();
    await closing.close();
    await waiting;
    assert.equal(await closing.lines('y', 'let a;', 'javascript'), undefined);
  });
});
