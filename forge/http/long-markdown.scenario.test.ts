import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { renderLongMarkdown, renderedLong } from './long-markdown.ts';
import { type MarkdownOptions, rendered, renderMarkdown } from './markup.ts';

describe('a long text in Markdown', () => {
  const part = `# A *heading*

- [x] done, see [this](docs/a.md "t") and http://example.com/x?a=1&b=2
- a picture ![p](pictures/p.png) and ![far](https://far.example/p.png)

<p align="center"><a href="#top"><img src="https://far.example/q.png" alt="q"></a> <img src="own.png"></p>

> [!NOTE]
> A note.[^1]

| a | b |
|--:|---|
| x | [[y]](<odd name.md>) |

[^1]: In the end.

`;
  const options: MarkdownOptions = {
    headingIds: true,
    resolve: (href, kind) => (href.startsWith('#') ? href : `/${kind}/${href}`),
    foreignImages: (href) => (href.includes('p.png') ? `/images/${href}` : undefined),
  };

  it('is what a short one would be', async () => {
    const source = part.repeat(150);
    assert.ok(source.length > 50_000);
    assert.equal(await renderLongMarkdown(source, options), renderMarkdown(source, options));
    const hidden = { ...options, foreignImages: () => undefined };
    assert.equal(await renderLongMarkdown(source, hidden), renderMarkdown(source, hidden));
    assert.equal(await renderedLong(source), rendered(source));
    const linked: MarkdownOptions = {
      ...options,
      link: (text) => [{ text: `${text.length} ` }, { text: 'x', href: '/x', title: text }],
    };
    assert.equal(await renderLongMarkdown(source, linked), renderMarkdown(source, linked));
    const plain = 'word **bold** <i>\n'.repeat(3000);
    assert.equal(await renderLongMarkdown(plain, options), renderMarkdown(plain, options));
  });

  it('holds nothing else up', async () => {
    // Each takes a thread many times as long as a turn may be.
    const repeated = ['![', '[', '# h\n', '> [!NOTE]\n> x\n\n', 'www.a.example '];
    const hostile = repeated.map((text) => text.repeat(Math.floor((128 * 1024) / text.length)));
    hostile.push(Array.from({ length: 10_000 }, (_, at) => `[](${at}) ![](//${at})`).join(''));
    let longest = 0;
    let before = process.cpuUsage();
    const watch = setInterval(() => {
      const { user } = process.threadCpuUsage(before);
      longest = Math.max(longest, user);
      before = process.threadCpuUsage();
    }, 1);
    before = process.threadCpuUsage();
    try {
      for (const text of hostile) {
        const html = await renderLongMarkdown(text, options);
        assert.ok(html !== undefined && html.length > 100_000, text.slice(0, 20));
      }
    } finally {
      clearInterval(watch);
    }
    assert.ok(longest < 150_000, `${longest} µs in one turn`);
  });

  it('is not rendered where too many wait, and later ones are', async () => {
    const source = 'word '.repeat(20_000);
    const all = await Promise.all(
      Array.from({ length: 40 }, () => renderLongMarkdown(source, options)),
    );
    assert.equal(all.filter((html) => html === undefined).length, 40 - 32);
    assert.ok(await renderLongMarkdown(source, options));
  });
});
