import assert from 'node:assert/strict';
import { test } from 'node:test';

import { representMarkup } from './markup.ts';

function rendered(source: string): string {
  const { body_html: html } = representMarkup(source, 'html');
  return typeof html === 'string' ? html : assert.fail('nothing was rendered');
}

test('items of a task list are boxes that cannot be changed', () => {
  const html = rendered('- [x] done\n- [ ] open <b>\n- [x]close\n- plain');
  assert.equal([...html.matchAll(/<input type="checkbox"/g)].length, 2);
  assert.match(html, /<li class="task-list-item"><input [^>]*checked disabled> done<\/li>/);
  assert.match(html, /aria-label="Incomplete task" disabled> open &lt;b&gt;<\/li>/);
  assert.match(html, /<li>\[x\]close<\/li>/);
  assert.match(html, /<li>plain<\/li>/);
  assert.equal(rendered('[x] no list'), '<p>[x] no list</p>');
});

test('a quotation that names a kind is an alert with its title', () => {
  const html = rendered('> [!WARNING]\n> Do not <b>.\n\n> said');
  assert.match(
    html,
    /<div class="markdown-alert markdown-alert-warning">\s*<p class="markdown-alert-title">Warning<\/p>/,
  );
  assert.match(html, /<p>Do not &lt;b&gt;\.<\/p>\n<\/div>/);
  assert.match(html, /<blockquote>\n<p>said<\/p>\n<\/blockquote>/);
  for (const source of ['> [!NONE]\n> x', '> [!NOTE] x', '> [!NOTE]', '- > [!NOTE]\n  > x']) {
    assert.doesNotMatch(rendered(source), /markdown-alert/, source);
    assert.match(rendered(source), /<blockquote>/, source);
  }
});
