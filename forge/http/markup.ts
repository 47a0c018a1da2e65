import { createHash } from 'node:crypto';

import type { Token } from 'markdown-it';
import MarkdownToken from 'markdown-it/lib/token.mjs';

import { DeferredText, type Json } from '../json/json-values.ts';
import { markdownLibrary } from './markdown-library.ts';
import { allowedHtml, balanced } from './markup-html.ts';
import type { Format } from './media-types.ts';

/** Footnotes of a text; one with more has none: the library looks at the rest of a text for each of them. */
const footnotesMax = 200;
const footnoteRules = ['footnote_def', 'footnote_inline', 'footnote_ref'];

/** The fields a text has in each body format: raw, text, html, or full with all three. */
export function representMarkup(body: string | null, format: Format): { [field: string]: Json } {
  switch (format) {
    case 'text':
      return { body_text: deferred(body, plain) };
    case 'html':
      return { body_html: deferred(body, rendered) };
    case 'full':
      return { body, body_text: deferred(body, plain), body_html: deferred(body, rendered) };
    case 'json':
    case 'raw':
    case 'diff':
    case 'patch':
    case 'sha':
    case 'octet-stream':
      return { body };
  }
}

function deferred(source: string | null, make: (source: string) => string): Json {
  return source === null || source === '' ? source : new DeferredText(() => make(source));
}

/** Before the id of a heading. */
export const headingPrefix = 'user-content-';

export interface LinkedText {
  readonly text: string;
  readonly href?: string;
  readonly title?: string;
}

export interface MarkdownOptions {
  /** Whether links can name headings. */
  readonly headingIds: boolean;
  /** May replace the URLs of links and images. */
  readonly resolve: (href: string, kind: 'link' | 'image') => string;
  /** Splits text where it names something, such as an issue, to which it then becomes a link. */
  readonly link?: (text: string) => readonly LinkedText[];
  /** Images of other servers: shown as they are, or at a URL of this server; without one, they are links. */
  readonly foreignImages: 'shown' | ((href: string) => string | undefined);
}

/** Markdown as HTML for a page. */
export function renderMarkdown(
  source: string,
  { headingIds, resolve, link, foreignImages }: MarkdownOptions,
): string {
  // A page has many texts, and an id of a footnote only once.
  const environment = { docId: createHash('sha256').update(source).digest('hex').slice(0, 8) };
  const markdown = markdownLibrary();
  const tokens = parse(source, environment);
  if (headingIds) nameHeadings(tokens);
  if (link) linkReferences(tokens, link);
  const shownAt = (href: string): string | undefined =>
    foreignImages === 'shown' || !isForeign(href) ? href : foreignImages(href);
  let hasHtml = false;
  for (const parent of tokens) {
    let links = 0;
    for (const token of [parent, ...(parent.children ?? [])]) {
      const href = token.attrGet('href');
      if (token.type === 'link_open' && href !== null) token.attrSet('href', resolve(href, 'link'));
      if (token.type === 'link_open') links += 1;
      if (token.type === 'link_close') links -= 1;
      if (token.type === 'image') showImage(token, links > 0);
      if (!token.type.startsWith('html_')) continue;
      hasHtml = true;
      token.content = allowedHtml(token.content, {
        href: (named, kind) => {
          const normal = markdown.normalizeLink(named.trim());
          if (!/^(?:https?:|mailto:|(?![a-z][a-z0-9+.-]*:))/i.test(normal)) return undefined;
          const resolved = resolve(normal, kind);
          return kind === 'link' ? resolved : shownAt(resolved);
        },
        id: (text) => (headingIds ? `${headingPrefix}${text}` : undefined),
      });
    }
  }
  const text = markdown.renderer.render(tokens, markdown.options, environment);
  return hasHtml ? balanced(text) : text;

  /** The URL of another server becomes a link: loading its image would reveal who reads the page. */
  function showImage(token: Token, isInLink: boolean): void {
    const href = resolve(token.attrGet('src') ?? '', 'image');
    const shown = shownAt(href);
    if (shown !== undefined) token.attrSet('src', shown);
    else [token.type, token.meta] = ['foreign_image', isInLink ? {} : { href }];
  }
}

/** Markdown before, between and after the fenced blocks of a language, and what is in these. Blocks inside of others stay Markdown. */
export function splitFences(
  source: string,
  language: string,
): readonly { readonly kind: 'markdown' | 'fence'; readonly text: string }[] {
  const lines = source.replaceAll('\r\n', '\n').split('\n');
  const parts: { kind: 'markdown' | 'fence'; text: string }[] = [];
  let at = 0;
  const markdownUpTo = (end: number): void => {
    const text = lines.slice(at, end).join('\n');
    if (text.trim() !== '') parts.push({ kind: 'markdown', text });
  };
  for (const { type, level, info, content, map } of parse(lines.join('\n'), {})) {
    if (type !== 'fence' || level !== 0 || !map || info.trim() !== language) continue;
    markdownUpTo(map[0]);
    parts.push({ kind: 'fence', text: content });
    at = map[1];
  }
  markdownUpTo(lines.length);
  return parts;
}

function parse(source: string, environment: object): Token[] {
  const markdown = markdownLibrary();
  const found = source.match(/\^\[|\[\^/g)?.length ?? 0;
  if (found <= footnotesMax) return markdown.parse(source, environment);
  markdown.disable(footnoteRules);
  try {
    return markdown.parse(source, environment);
  } finally {
    markdown.enable(footnoteRules);
  }
}

/** Whether another server, or a function under a path of this one (functions/urls/shared-origin.ts), would learn who reads it. */
export function isForeign(href: string): boolean {
  if (/^data:/i.test(href)) return false;
  const url = URL.parse(href, ownBase);
  const hasProtocol = /^[a-z][a-z0-9+.-]*:/i.test(href);
  return hasProtocol || url?.origin !== ownOrigin || url.pathname.startsWith('/lambda-url/');
}

const ownOrigin = 'http://own.invalid';
const ownBase = `${ownOrigin}/a/b/c/d/`;

/** Text that names something becomes a link to it, outside of links and code. */
function linkReferences(
  tokens: readonly Token[],
  link: NonNullable<MarkdownOptions['link']>,
): void {
  for (const token of tokens) {
    let depth = 0;
    token.children = (token.children ?? []).flatMap((child) => {
      if (child.type === 'link_open') depth += 1;
      if (child.type === 'link_close') depth -= 1;
      return child.type === 'text' && depth === 0 ? linked(child, link) : [child];
    });
  }
}

function linked(token: Token, link: NonNullable<MarkdownOptions['link']>): Token[] {
  const parts = link(token.content);
  return parts.flatMap(({ text, href, title }) => {
    const own = new MarkdownToken('text', '', 0);
    own.content = text;
    if (href === undefined) return [own];
    const open = new MarkdownToken('link_open', 'a', 1);
    open.attrSet('href', href);
    if (title !== undefined) open.attrSet('title', title);
    return [open, own, new MarkdownToken('link_close', 'a', -1)];
  });
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

/** Its URLs as they are. */
export const asWritten: MarkdownOptions = {
  headingIds: false,
  foreignImages: 'shown',
  resolve: (href) => href,
};

/** Markdown as HTML, its URLs as they are. */
export function rendered(source: string): string {
  return renderMarkdown(source, asWritten).trimEnd();
}

/** Plain text without markup: the text of the rendered tokens, one line per block. */
export function plain(source: string): string {
  return parse(source, {})
    .flatMap((token) => {
      if (token.type === 'fence' || token.type === 'code_block') return [token.content.trimEnd()];
      if (token.type !== 'inline') return [];
      return [(token.children ?? []).map((child) => textOf(child)).join('')];
    })
    .join('\n\n');
}

function textOf({ type, content }: Token): string {
  if (type.endsWith('break')) return '\n';
  return type === 'html_inline' ? '' : content;
}
