import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';

import { createHighlighter } from './highlighter.ts';

describe('highlighting', () => {
  const patient = { pageMilliseconds: 60_000 };
  const highlighter = createHighlighter(patient);
  after(() => highlighter.close());

  test('marks a language by classes, a line each, and escapes what the text has', async () => {
    const lines = await highlighter.lines(
      'one',
      'const a = "<b>";\n// the end\n',
      'typescript',
      'reader',
    );
    assert.equal(lines?.length, 3);
    assert.match(lines[0] ?? '', /<span class="hljs-keyword">const<\/span>/);
    assert.match(lines[0] ?? '', /&lt;b&gt;/);
    assert.doesNotMatch(lines.join('\n'), /style=|<b>/);
  });

  test('opens again on each line what spans several', async () => {
    const lines = await highlighter.lines('two', '/* one\n two */\nx();', 'javascript', 'reader');
    assert.deepEqual(lines?.slice(0, 2), [
      '<span class="hljs-comment">/* one</span>',
      '<span class="hljs-comment"> two */</span>',
    ]);
  });

  test('leaves a text as it is whose lines the library changes', async () => {
    const texts = {
      css: '[a\r\r\r\nbody { background: url(https://evil.test/) }\np { color: red }\n',
      javascript: 'const a = css`[a\r\r\nb {}`;\nevil();\n',
    };
    for (const [language, text] of Object.entries(texts)) {
      assert.equal(await highlighter.lines(`cr ${language}`, text, language, 'reader'), undefined);
    }
    const usual = 'a[b="c"] {\r\n  color: red; /* \' & < > */\r\n}\r\n';
    const lines = await highlighter.lines('crlf', usual, 'css', 'reader');
    assert.equal(lines?.length, 4);
  });

  test('leaves what is too long, or of no known language, as it is', async () => {
    assert.equal(await highlighter.lines('three', 'x', 'no such language', 'reader'), undefined);
    assert.equal(
      await highlighter.lines('four', 'x'.repeat(256 * 1024 + 1), 'css', 'reader'),
      undefined,
    );
  });

  test('ends a thread that takes too long, and goes on with another', async () => {
    const impatient = createHighlighter({ ...patient, milliseconds: 0 });
    try {
      const long = 'const a = `${b}`;\n'.repeat(10_000);
      assert.equal(await impatient.lines('long', long, 'typescript', 'reader'), undefined);
      assert.equal(await impatient.lines('long', long, 'typescript', 'reader'), undefined);
    } finally {
      await impatient.close();
    }
    assert.ok(await highlighter.lines('after', 'let a;', 'javascript', 'reader'));
  });

  test('asks once for what several readers want at the same time, and keeps it', async () => {
    const text = 'let a = 1;\n'.repeat(50);
    const [one, other] = await Promise.all([
      highlighter.lines('same', text, 'javascript', 'reader'),
      highlighter.lines('same', text, 'javascript', 'reader'),
    ]);
    assert.equal(one, other);
    assert.equal(await highlighter.lines('same', 'other text', 'javascript', 'reader'), one);
  });

  test('takes so many texts of one reader that those of others have room', async () => {
    const text = 'let a;\n'.repeat(2000);
    const crowded = createHighlighter({ ...patient, waitingOfOneMax: 2 });
    try {
      const asked = ['a', 'b', 'c'].map((key) => crowded.lines(key, text, 'javascript', 'one'));
      const other = crowded.lines('d', text, 'javascript', 'other');
      const lines = await Promise.all([...asked, other]);
      assert.deepEqual(
        lines.map((each) => each !== undefined),
        [true, true, false, true],
      );
    } finally {
      await crowded.close();
    }
  });

  test('leaves as it is what would become a page out of proportion', async () => {
    const text = `${'`${'.repeat(1000)}${'\n'.repeat(3000)}`;
    assert.equal(await highlighter.lines('nested', text, 'javascript', 'reader'), undefined);
  });

  test('keeps no page waiting for the texts of others, and has the colours later', async () => {
    const hurried = createHighlighter({ pageMilliseconds: 0 });
    try {
      const first = hurried.lines('a', 'let a;\n'.repeat(1000), 'javascript', 'reader');
      assert.equal(await first, undefined);
      for (let asked = 0; asked < 100_000; asked += 1) {
        if (await hurried.lines('a', '', 'javascript', 'reader')) return;
      }
      assert.fail('no colours came');
    } finally {
      await hurried.close();
    }
  });

  test('forgets what was used longest ago where results are too many', async () => {
    const small = createHighlighter({ ...patient, cachedCharactersMax: 100 });
    try {
      const first = await small.lines('a', 'let a;', 'javascript', 'reader');
      await small.lines('b', `let ${'b'.repeat(100)};`, 'javascript', 'reader');
      assert.notEqual(await small.lines('a', 'let a;', 'javascript', 'reader'), first);
    } finally {
      await small.close();
    }
  });

  test('answers nobody after it was closed, and those who wait are not left alone', async () => {
    const unused = createHighlighter();
    const unstarted = unused.lines('x', 'let a;', 'javascript', 'reader');
    await unused.close();
    assert.equal(await unstarted, undefined);
    const closing = createHighlighter();
    await closing.lines('x', 'let a;', 'javascript', 'reader');
    const waiting = closing.lines('z', 'let a;\n'.repeat(20_000), 'typescript', 'reader');
    await Promise.resolve();
    await closing.close();
    await waiting;
    assert.equal(await closing.lines('y', 'let a;', 'javascript', 'reader'), undefined);
  });
});
