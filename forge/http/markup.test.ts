import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as fc from 'fast-check';

import { plain, rendered } from './markup.ts';

test('items of a task list are boxes that cannot be changed', () => {
  const html = rendered('- [x] done\n- [ ] open <5\n- [x]close\n- plain');
  assert.equal([...html.matchAll(/<input type="checkbox"/g)].length, 2);
  assert.match(html, /<li class="task-list-item"><input [^>]*checked disabled> done<\/li>/);
  assert.match(html, /aria-label="Incomplete task" disabled> open &lt;5<\/li>/);
  assert.match(html, /<li>\[x\]close<\/li>/);
  assert.match(html, /<li>plain<\/li>/);
  assert.equal(rendered('[x] no list'), '<p>[x] no list</p>');
});

test('a quotation that names a kind is an alert with its title', () => {
  const html = rendered('> [!WARNING]\n> Do not <5.\n\n> said');
  assert.match(
    html,
    /<div class="markdown-alert markdown-alert-warning">\s*<p class="markdown-alert-title">Warning<\/p>/,
  );
  assert.match(html, /<p>Do not &lt;5\.<\/p>\n<\/div>/);
  assert.match(html, /<blockquote>\n<p>said<\/p>\n<\/blockquote>/);
  for (const source of ['> [!NONE]\n> x', '> [!NOTE] x', '> [!NOTE]', '- > [!NOTE]\n  > x']) {
    assert.doesNotMatch(rendered(source), /markdown-alert/, source);
    assert.match(rendered(source), /<blockquote>/, source);
  }
});

test('tens of thousands of alerts are found in linear time', () => {
  const source = '> [!NOTE]\n> a\n\n'.repeat(65_536);
  const before = process.cpuUsage();
  const html = rendered(source);
  const { user } = process.cpuUsage(before);
  assert.equal(html.split('markdown-alert-note').length, 65_537);
  // A search from the beginning for each took 50 seconds.
  assert.ok(user < 15_000_000, `${user} µs`);
});

test('HTML that GitHub allows is written anew, and closes what it opens', () => {
  assert.equal(
    rendered('<p align="center"><img src="a.png" width=20 alt="A"></p>'),
    '<p align="center"><img src="a.png" width="20" alt="A"></p>',
  );
  assert.equal(
    rendered('<details open><summary>More</summary>\n\n*text*\n\n</details>'),
    '<details open=""><summary>More</summary>\n<p><em>text</em></p>\n</details>',
  );
  assert.equal(rendered('a<br/>b H<sub>2</sub>O &nbsp;'), '<p>a<br>b H<sub>2</sub>O \u00a0</p>');
  assert.equal(rendered('<div>&copy; & <b>bold'), '<div>&copy; &amp; <b>bold</b></div>');
  assert.equal(rendered('</div></section> text </p></main>'), ' text');
  assert.equal(rendered('<!-- hidden --> shown'), ' shown');
});

test('of other HTML nothing is left but its text', () => {
  for (const [source, expected] of [
    ['<script>alert(1)</script>', ''],
    ['<style>p{}</style>', ''],
    ['a <svg onload=x><circle></svg> b', '<p>a  b</p>'],
    ['<iframe src="//x"></iframe>', ''],
    ['<img src=x onerror=alert(1) style="x" class=y>', '<img src="x" alt="">'],
    ['<a href="javascript:alert(1)" onclick=x>y</a>', '<p><a>y</a></p>'],
    [
      '<a href="java&#x73;cript:alert(1)">y</a>',
      '<p><a href="java&amp;#x73;cript:alert(1)">y</a></p>',
    ],
    ['<a href=" java\nscript:alert(1)">y</a>', '<p><a href="java%0Ascript:alert(1)">y</a></p>'],
    ['<a href="file:///etc">y</a>', '<p><a>y</a></p>'],
    ['<a href="blob:x">y</a>', '<p><a>y</a></p>'],
    ['<a href="vbscript:x">y</a>', '<p><a>y</a></p>'],
    ['<a href="data:text/html,x">y</a>', '<p><a>y</a></p>'],
    ['<b title="&quot;><script>x</script>">y</b>', '<p><b title="&quot;&gt;">y</b></p>'],
    ['<form action=/x><input name=y><button>z</button></form>', 'z'],
    ['<p id="content" name="x" hx-get="/x">y</p>', '<p>y</p>'],
    ['<scr<script>ipt>alert(1)</script>', '<p>&lt;script&gt;alert(1)</p>'],
  ] as const) {
    assert.equal(rendered(source).replaceAll('&quot;&gt;&quot;', ''), expected, source);
  }
});

test('no text gets out of its elements, whatever it is made of', () => {
  const pieces = fc.constantFrom(
    ...`< > " ' & = / !-- --> \` ]( [^1] | a p img script div table td details svg on x <b> href= src= onerror= style= javascript: &#106;
    </div> </p> <a`.split(/\s+/),
    ' ',
    '\n',
    '\n\n',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
      const html = rendered(parts.join(''));
      const open: string[] = [];
      const rest = html.replaceAll(
        /<(\/?)([a-z][a-z0-9]*)((?: [a-z-]+(?:="[^"<>]*")?)*) ?\/?>/g,
        (_whole, slash: string, name: string, attributes: string) => {
          assert.doesNotMatch(attributes, / (?:on|style|srcdoc)/, html);
          assert.doesNotMatch(attributes, /(?:href|src)="\s*(?:javascript|vbscript):/i, html);
          assert.doesNotMatch(name, /^(?:script|style|svg|iframe|form)$/, html);
          if (slash !== '') assert.equal(open.pop(), name, html);
          else if (!['img', 'br', 'hr', 'input', 'wbr'].includes(name)) open.push(name);
          return '';
        },
      );
      assert.doesNotMatch(rest, /[<>]/, html);
      assert.ok(open.length === 0 || !/<[a-z]+ ?[^>]*<|<\/?(?:div|b)/.test(parts.join('')), html);
    }),
    { numRuns: 3000 },
  );
});

test('long texts of tags and notes come to an end', { timeout: 60_000 }, () => {
  const parts = [
    '<a "',
    "<a '",
    '<a b=',
    '<!--',
    '<b>',
    '</b>',
    '<script',
    '&',
    '[^',
    '^[',
    '[^1]',
  ];
  for (const part of parts) {
    const source = `<div>\n${part.repeat(65_536 / part.length)}`;
    assert.notEqual(rendered(source), undefined, part);
  }
  // Each took minutes.
  assert.notEqual(rendered(`<div>\n<${'a'.repeat(512 * 1024)}`), undefined);
  assert.notEqual(rendered(`${'<b>'.repeat(70_000)}${'</i>'.repeat(70_000)}`), undefined);
  assert.notEqual(rendered(`<div>${'^['.repeat(260_000)}`), undefined);
});

test('what belongs to a table or a list is left out elsewhere', () => {
  assert.equal(rendered('x\n\n<tr><td>y</td></tr>'), '<p>x</p>\ny');
  for (const name of ['td', 'th', 'tr', 'tbody', 'thead', 'tfoot', 'caption', 'li', 'dt', 'dd']) {
    assert.doesNotMatch(rendered(`a <${name}>b</${name}>`), new RegExp(`</?${name}`), name);
  }
  for (const name of ['rt', 'rp', 'summary', 'figcaption']) {
    assert.doesNotMatch(rendered(`a <${name}>b</${name}>`), new RegExp(`</?${name}`), name);
  }
  const table = '<table><tr><td>a</td></tr></table>';
  assert.equal(rendered(table), table);
  assert.match(rendered('- a <li>b'), /<li>a <li>b<\/li>\s*<\/li>/);
  const deep = rendered(`${'<b>'.repeat(500)}x`);
  assert.ok(deep.split('<b>').length <= 101);
});

test('parts of a line are inside of each other 20 deep, quotations and lists deeper', () => {
  const nested = (depth: number): string =>
    rendered(`${'!['.repeat(depth)}a${'](b)'.repeat(depth)}`);
  assert.equal(nested(15), '<p><img src="b" alt="a"></p>');
  assert.match(nested(40), /^<p>!\[.*<img src="b" alt="a">\]\(b\)/);
  assert.equal(rendered(`${'> '.repeat(40)}x`).match(/<blockquote/g)?.length, 40);
});

test('footnotes lead there and back', () => {
  const html = rendered('text[^1]\n\n[^1]: the <b>note</b>');
  const [, id = ''] = /<a href="#(fn-[0-9a-f]{8}-1)" id="fnref-/.exec(html) ?? [];
  assert.match(html, new RegExp(`<li id="${id}" class="footnote-item"><p>the <b>note</b>`));
  assert.notEqual(rendered('other[^1]\n\n[^1]: x').includes(id), true);
});

test('the text of a body has no tags', () => {
  assert.equal(plain('a <b>c</b> d'), 'a c d');
});
