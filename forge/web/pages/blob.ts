import { inlineBytesMax } from '../../git-data/read-blob.ts';
import type { Content } from '../../contents/content.ts';
import { findContent } from '../../contents/find-content.ts';
import { notFound } from '../../errors/api-error.ts';
import { fullName } from '../../model/repository.ts';
import { html, type Html } from '#web/html.ts';
import { pathTrail, repositoryHead } from '../parts/repository-views.ts';
import { markdownView, isMarkdown, shownBytesMax } from '../parts/markdown-view.ts';
import { type TreeLocation, findTreeLocation } from '../kit/revision.ts';
import {
  bytes,
  looksLikeText,
  page,
  type StreamResponse,
  type WebResponse,
} from '#web/web-response.ts';
import type { RepositoryContext } from '../kit/web-context.ts';

/** A file of a revision. A folder's address leads to the folder. */
export async function showBlob(context: RepositoryContext): Promise<WebResponse> {
  const { repository, urls } = context;
  const name = fullName(repository);
  const { location, content } = await findFile(context);
  if (content.kind === 'directory') {
    return { kind: 'redirect', location: urls.treeHtml(name, location.revision, location.path) };
  }
  const raw = urls.rawHtml(name, location.revision, location.path);
  return page(
    `${name}: ${location.path}`,
    html`${repositoryHead(context)} ${pathTrail(location, name, urls)}
      <p>${content.size} bytes · <a href="${raw}">raw</a></p>
      ${await contentView(context, location, content)}`,
  );
}

/** The bytes of a file, as text or as nothing that a browser would run. */
export async function showRaw(context: RepositoryContext): Promise<WebResponse | StreamResponse> {
  const { location, content } = await findFile(context);
  if (content.kind === 'directory' || content.kind === 'submodule') return notFound();
  const { git } = context;
  const { id, size } = content;
  if (size > inlineBytesMax) return { kind: 'stream', bytes: size, open: () => git.streamBlob(id) };
  return bytes((await git.readBlob(id)) ?? notFound(), location.path);
}

async function findFile(
  context: RepositoryContext,
): Promise<{ location: TreeLocation; content: Content }> {
  const { repository, git, urls } = context;
  const location = await findTreeLocation(context);
  const clone = urls.clone(fullName(repository));
  const content = await findContent(git, location.commit, location.path, clone);
  return { location, content: content ?? notFound() };
}

async function contentView(
  { git, repository, urls }: RepositoryContext,
  location: TreeLocation,
  content: Exclude<Content, { kind: 'directory' }>,
): Promise<Html> {
  if (content.kind === 'submodule') return html`<p>A submodule at <code>${content.id}</code>.</p>`;
  if (content.kind === 'symlink') return html`<p>A link to <code>${content.target}</code>.</p>`;
  if (content.size > shownBytesMax) return html`<p>Too long to show here: see it raw.</p>`;
  const found = (await git.readBlob(content.id)) ?? notFound();
  if (!looksLikeText(found)) return html`<p>Binary content.</p>`;
  const text = found.toString();
  if (isMarkdown(location.path)) {
    const { revision, path } = location;
    return markdownView(text, { fullName: fullName(repository), revision, path, urls });
  }
  const lines = text.replace(/\n$/, '').split('\n');
  return html`<pre class="lines" tabindex="0">
${lines.map((line, index) => html`<span id="L${index + 1}">${line}</span>`)}</pre>`;
}
