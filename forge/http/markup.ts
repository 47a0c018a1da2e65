import MarkdownIt, { type Token } from 'markdown-it';

import type { Json } from '../json/json-values.ts';
import type { Format } from './media-types.ts';

/** HTML in the source is escaped, and links allow only http, https and mailto, so that nothing needs sanitizing. */
const markdown = new MarkdownIt({ html: false, linkify: true });

/** As GitHub does: the policy of pages refuses the inline style that the library writes. */
markdown.core.ruler.push('cell_alignment', ({ tokens }) => {
  for (const token of tokens) {
    const [, side] = /^text-align:(\w+)$/.exec(token.attrGet('style') ?? '') ?? [];
    if (side === undefined) continue;
    token.attrs = [...(token.attrs ?? []).filter(([name]) => name !== 'style'), ['align', side]];
  }
});

/** As GitHub does: `- [x] done` is a box. */
markdown.core.ruler.push('task_lists', (state) => {
  const { tokens } = state;
  for (const [index, token] of tokens.entries()) {
    const [item, paragraph] = [tokens[index - 2], tokens[index - 1]];
    if (token.type !== 'inline' || paragraph?.type !== 'paragraph_open') continue;
    if (item?.type !== 'list_item_open') continue;
    const [text] = token.children ?? [];
    const [mark, sign] = /^\[([ xX])\](?: |$)/.exec(text?.content ?? '') ?? [];
    if (text?.type !== 'text' || mark === undefined) continue;
    text.content = text.content.slice(mark.length);
    item.attrJoin('class', 'task-list-item');
    const box = new state.Token('task_box', 'input', 0);
    box.meta = { done: sign !== ' ' };
    token.children?.unshift(box);
  }
});
markdown.renderer.rules['task_box'] = (tokens, index) => {
  const done: unknown = tokens[index]?.meta?.done;
  const attributes =
    done === true ? 'aria-label="Completed task" checked ' : 'aria-label="Incomplete task" ';
  return `<input type="checkbox" class="task-list-item-checkbox" ${attributes}disabled> `;
};

/** As GitHub does: a quotation that begins with a line `[!NOTE]` is an alert. */
markdown.core.ruler.push('alerts', (state) => {
  const { tokens } = state;
  for (const [index, token] of tokens.entries()) {
    const inline = tokens[index + 2];
    if (token.type !== 'blockquote_open' || token.level !== 0 || inline?.type !== 'inline')
      continue;
    const [first, second] = inline.children ?? [];
    const name = /^\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]$/.exec(first?.content ?? '')?.[1];
    if (first?.type !== 'text' || name === undefined || second?.type !== 'softbreak') continue;
    inline.children?.splice(0, 2);
    token.type = 'alert_open';
    token.tag = 'div';
    token.attrSet('class', `markdown-alert markdown-alert-${name.toLowerCase()}`);
    token.meta = { title: titleOfAlert(name) };
    const close = tokens.findIndex(
      (each, at) => at > index && each.type === 'blockquote_close' && each.level === 0,
    );
    const end = tokens[close];
    if (end) end.tag = 'div';
  }
});
markdown.renderer.rules['alert_open'] = (tokens, index, options, _environment, self) => {
  const title: unknown = tokens[index]?.meta?.title;
  return `${self.renderToken(tokens, index, options)}<p class="markdown-alert-title">${String(title)}</p>\n`;
};

function titleOfAlert(name: string): string {
  return name.charAt(0) + name.slice(1).toLowerCase();
}

/** The members a text has in each body format: raw, text, html, or full with all three. */
export function representMarkup(body: string | null, format: Format): { [member: string]: Json } {
  switch (format) {
    case 'text':
      return { body_text: plain(body) };
    case 'html':
      return { body_html: rendered(body) };
    case 'full':
      return { body, body_text: plain(body), body_html: rendered(body) };
    case 'json':
    case 'raw':
    case 'diff':
    case 'patch':
    case 'sha':
    case 'octet-stream':
      return { body };
  }
}

/** Before the id of a heading. */
export const headingPrefix = 'user-content-';

export interface MarkdownOptions {
  /** Whether links can name headings. */
  readonly headingIds: boolean;
  /** May replace the URLs of links and images. */
  readonly resolve: (address: string, kind: 'link' | 'image') => string;
}

/** Markdown as HTML for a page. */
export function renderMarkdown(source: string, { headingIds, resolve }: MarkdownOptions): string {
  const tokens = markdown.parse(source, {});
  if (headingIds) nameHeadings(tokens);
  for (const child of tokens.flatMap((token) => token.children ?? [])) {
    const href = child.attrGet('href');
    if (child.type === 'link_open' && href !== null) child.attrSet('href', resolve(href, 'link'));
    const src = child.attrGet('src');
    if (child.type === 'image' && src !== null) child.attrSet('src', resolve(src, 'image'));
  }
  return markdown.renderer.render(tokens, markdown.options, {});
}

/** Ids for links within the text, with GitHub's prefix, which keeps them apart from those of the page. */
function nameHeadings(tokens: readonly Token[]): void {
  const used = new Map<string, number>();
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue;
    const slug = (tokens[index + 1]?.content ?? '')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-');
    const count = used.get(slug) ?? 0;
    used.set(slug, count + 1);
    token.attrSet('id', `${headingPrefix}${slug}${count === 0 ? '' : `-${count}`}`);
  }
}

function rendered(source: string | null): string | null {
  return source === null || source === '' ? source : markdown.render(source).trimEnd();
}

/** Plain text without markup: the text of the rendered tokens, one line per block. */
function plain(source: string | null): string | null {
  if (source === null || source === '') return source;
  return markdown
    .parse(source, {})
    .flatMap((token) => {
      if (token.type === 'fence' || token.type === 'code_block') return [token.content.trimEnd()];
      if (token.type !== 'inline') return [];
      return [
        (token.children ?? [])
          .map((child) => (child.type.endsWith('break') ? '\n' : child.content))
          .join(''),
      ];
    })
    .join('\n\n');
}
