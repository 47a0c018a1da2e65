import assert from 'node:assert/strict';
import { test } from 'node:test';

import { html, trusted } from './html.ts';

test('values are escaped for text and for attributes', () => {
  const value = `<script>"&'`;
  assert.equal(
    html`<a title="${value}">${value}</a>`.toString(),
    '<a title="&lt;script&gt;&quot;&amp;&#39;">&lt;script&gt;&quot;&amp;&#39;</a>',
  );
});

test('markup inside markup stays, lists are joined, and nothing is nothing', () => {
  const items = ['a', '<b>'].map((item) => html`<li>${item}</li>`);
  assert.equal(html`${items}${undefined}`.toString(), '<li>a</li><li>&lt;b&gt;</li>');
  assert.equal(html`${trusted('<i>x</i>')} ${1}`.toString(), '<i>x</i> 1');
});
