import { posix } from 'node:path';

import { renderMarkdown } from '../../http/markup.ts';
import type { Urls } from '../../json/urls.ts';
import { html, type Html, trusted } from '../kit/html.ts';

/** Where a Markdown file is: its relative links mean its neighbours. */
export interface MarkdownLocation {
  readonly fullName: string;
  readonly revision: string;
  readonly path: string;
  readonly urls: Urls;
}

/** Markdown of a repository or a person. Markup in it is shown as text (http/markup.ts). */
export function markdownView(source: string, location?: MarkdownLocation): Html {
  const rendered = renderMarkdown(source, (address, kind) =>
    location ? neighbour(address, kind, location) : address,
  );
  return html`<div class="markdown">${trusted(rendered)}</div>`;
}

function neighbour(address: string, kind: 'link' | 'image', location: MarkdownLocation): string {
  if (/^(?:[a-z][a-z0-9+.-]*:|\/|#)/i.test(address)) return address;
  const end = address.search(/[?#]/);
  const rest = end === -1 ? '' : address.slice(end);
  const path = decoded(end === -1 ? address : address.slice(0, end));
  const target = path === undefined ? undefined : posix.join(posix.dirname(location.path), path);
  if (target === undefined || target.startsWith('..')) return address;
  const { urls, fullName, revision } = location;
  const found =
    kind === 'image'
      ? urls.rawHtml(fullName, revision, target)
      : urls.blobHtml(fullName, revision, target);
  return found + rest;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
