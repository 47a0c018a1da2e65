import { posix } from 'node:path';

import { findReadme } from '../../contents/find-content.ts';
import type { ObjectId } from '../../git/names.ts';
import { renderLongMarkdown } from '../../http/long-markdown.ts';
import { headingPrefix, type MarkdownOptions, renderMarkdown } from '../../http/markup.ts';
import type { SignImageUrl } from '../../http/images/image-url.ts';
import type { Urls } from '../../json/urls.ts';
import { fullName } from '../../model/repository.ts';
import { html, type Html, trusted } from '#web/html.ts';
import type { LinkText } from './references.ts';
import type { RepositoryContext } from '../kit/web-context.ts';
import { looksLikeText } from '#web/web-response.ts';

/** Where a Markdown file is: its relative links mean its neighbours. */
interface MarkdownLocation {
  readonly fullName: string;
  readonly revision: string;
  readonly path: string;
  readonly urls: Urls;
}

interface MarkdownView {
  /** Of images of other servers, which would learn who reads the page. */
  readonly imageUrl: SignImageUrl;
  readonly link?: LinkText;
}

/** Markdown that a person wrote on a page. */
export function markdownView(source: string, view: MarkdownView): Html {
  return markdownBlock(renderMarkdown(source, optionsOf(view)));
}

/** The same of texts that may be long; their source where that takes too long to render. */
export async function longMarkdownView(source: string, view: MarkdownView): Promise<Html> {
  return blockOrSource(await renderLongMarkdown(source, optionsOf(view)), source);
}

function optionsOf({ imageUrl, link }: MarkdownView): MarkdownOptions {
  return {
    foreignImages: imageUrl,
    ...(link && { link }),
    // A page has many comments, and an id only once.
    headingIds: false,
    resolve: (href) => href,
  };
}

interface FileView extends Pick<MarkdownView, 'imageUrl'> {
  readonly location: MarkdownLocation;
}

/** A Markdown file of a repository; its source where that takes too long to render. */
export async function markdownFileView(
  source: string,
  { imageUrl, location }: FileView,
): Promise<Html> {
  const options: MarkdownOptions = {
    foreignImages: imageUrl,
    headingIds: true,
    resolve(href, kind) {
      if (href.startsWith('#')) return `#${headingPrefix}${href.slice(1)}`;
      return neighbour(href, kind, location);
    },
  };
  return blockOrSource(await renderLongMarkdown(source, options), source);
}

function blockOrSource(rendered: string | undefined, source: string): Html {
  return rendered === undefined ? sourceView(source) : markdownBlock(rendered);
}

function markdownBlock(rendered: string): Html {
  return html`<div class="markdown">${trusted(scrollable(rendered))}</div>`;
}

function sourceView(text: string): Html {
  return html`<pre class="sheet" tabindex="0">${text}</pre>`;
}

/** Keyboard users can scroll what is wider than the page. Text cannot look like these tags: it is escaped. */
function scrollable(rendered: string): string {
  return rendered
    .replaceAll('<pre', '<pre tabindex="0"')
    .replaceAll(
      /<table(?=[ >])/g,
      '<div class="wide" role="group" aria-label="Table" tabindex="0">$&',
    )
    .replaceAll('</table>', '</table></div>');
}

function neighbour(href: string, kind: 'link' | 'image', location: MarkdownLocation): string {
  if (/^(?:[a-z][a-z0-9+.-]*:|\/|#)/i.test(href)) return href;
  const end = href.search(/[?#]/);
  const rest = end === -1 ? '' : href.slice(end);
  const path = decoded(end === -1 ? href : href.slice(0, end));
  const target = path === undefined ? undefined : posix.join(posix.dirname(location.path), path);
  if (target === undefined || target.startsWith('..')) return href;
  const { urls, fullName: name, revision } = location;
  if (kind === 'link') return urls.blobHtml(name, revision, target) + rest;
  // Without a host, because images of other servers are not loaded.
  return new URL(urls.rawHtml(name, revision, target)).pathname + rest;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** File that a page shows; of longer ones it shows the name only. */
export const shownBytesMax = 512 * 1024;

/** What a repository says of itself, or of one of its folders. */
export async function readmeView(
  { git, repository, urls, imageUrl }: RepositoryContext,
  { commit, revision, folder }: { commit: ObjectId; revision: string; folder?: string },
): Promise<Html | undefined> {
  const name = fullName(repository);
  const folders = folder === undefined ? undefined : [folder];
  const found = await findReadme(git, commit, urls.clone(name), folders);
  if (!found || found.size > shownBytesMax) return undefined;
  const content = await git.readBlob(found.id);
  if (!content || !looksLikeText(content)) return undefined;
  const text = content.toString();
  const location = { fullName: name, revision, path: found.path, urls };
  return html`<section class="readme">
    <h2>${found.path}</h2>
    ${isMarkdown(found.path) ? await markdownFileView(text, { location, imageUrl }) : sourceView(text)}
  </section>`;
}

export function isMarkdown(path: string): boolean {
  return /\.(?:md|markdown|mkdn?|mdown)$/i.test(path);
}
