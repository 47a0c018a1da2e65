import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import * as fc from 'fast-check';

import { createHighlighter, type Highlighter } from '#web/highlighter.ts';
import { escapeText } from '#web/html.ts';

import { transferCaller } from '../../http/transfer-limiter.ts';
import { coloursOf, markedCode } from './diff-colours.ts';
import { diffRows } from './diff-rows.ts';

const marked = (markup: string, ...parts: readonly (readonly [string, boolean])[]): string =>
  markedCode(
    markup,
    parts.map(([text, changed]) => ({ text, changed })),
  ).toString();

describe('colours of a diff', () => {
  test('stay where marks begin and end inside and across their elements', () => {
    assert.equal(
      marked('<span class="k">const</span> a', ['const a', false]),
      '<span class="k">const</span> a',
    );
    assert.equal(
      marked('<span class="k">const</span> a', ['con', false], ['st a', true]),
      '<span class="k">con</span><mark><span class="k">st</span> a</mark>',
    );
    assert.equal(
      marked('<span class="s">&lt;b&gt;</span>', ['<', false], ['b', true], ['>', false]),
      '<span class="s">&lt;</span><mark><span class="s">b</span></mark><span class="s">&gt;</span>',
    );
  });

  test('lose and add no character, whatever is marked', () => {
    const part = fc.record({ text: fc.string({ maxLength: 5 }), changed: fc.boolean() });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), fc.nat(8), (parts, from) => {
        const text = parts.map((each) => each.text).join('');
        const markup = `${escapeText(text.slice(0, from))}<span class="x">${escapeText(text.slice(from))}</span>`;
        const written = markedCode(markup, parts).toString();
        assert.equal(written.replaceAll(/<[^>]*>/g, ''), escapeText(text));
        const depth = [...written.matchAll(/<(\/?)(span|mark)[^>]*>/g)].reduce<string[]>(
          (stack, [, closing, name = '']) => {
            if (closing !== '/') return [...stack, name];
            assert.equal(stack.at(-1), name);
            return stack.slice(0, -1);
          },
          [],
        );
        assert.deepEqual(depth, []);
      }),
    );
  });

  describe('of both sides', () => {
    let highlighter: Highlighter;
    before(() => {
      highlighter = createHighlighter({ pageMilliseconds: 30_000 });
    });
    after(() => highlighter.close());

    const requester = transferCaller({ kind: 'anonymous' }, '127.0.0.1');
    const patch = '@@ -3,2 +3,2 @@\n const a = 1;\n-let b;\n+const b = "<b>";';

    test('are by the numbers of the lines', async () => {
      const { left, right } = await coloursOf({ highlighter, requester }, 'a.ts', diffRows(patch));
      assert.deepEqual([...left.keys()], [3, 4]);
      assert.deepEqual([...right.keys()], [3, 4]);
      assert.match(left.get(4) ?? '', /<span class="hljs-keyword">let<\/span> b/);
      assert.match(right.get(4) ?? '', /hljs-string">&quot;&lt;b&gt;&quot;</);
    });

    test('are not there for a file of no language', async () => {
      const { left, right } = await coloursOf(
        { highlighter, requester },
        'a.unknown',
        diffRows(patch),
      );
      assert.deepEqual([left.size, right.size], [0, 0]);
    });
  });
});
