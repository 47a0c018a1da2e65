import { inlineBytesMax } from '../../git-data/read-blob.ts';
import type { Content } from '../../contents/content.ts';
import { findContent } from '../../contents/find-content.ts';
import { notFound } from '../../errors/api-error.ts';
import { findLargeFile } from '../../large-files/find-large-file.ts';
import { fullName } from '../../model/repository.ts';
import { linesScript } from '#web/assets.ts';
import { bytesText, html, type Html } from '#web/html.ts';
import { pathTrail, repositoryHead } from '../parts/repository-views.ts';
import { markdownFileView, isMarkdown, shownBytesMax } from '../parts/markdown-view.ts';
import { codeView } from '../parts/code-view.ts';
import { parseDelimited, separatorOf } from '../parts/delimited-text.ts';
import { type TreeLocation, findTreeLocation } from '../kit/revision.ts';
import { fileActs } from '../parts/file-forms.ts';
import { revisionChoice } from '../parts/revision-choice.ts';
import { blameUrl } from './blame.ts';
import {
  bytes,
  contentTypeOf,
  looksLikeText,
  page,
  type StreamResponse,
  type WebResponse,
} from '#web/web-response.ts';
import type { RepositoryContext } from '../kit/web-context.ts';

/** A file of a revision. A folder's URL leads to the folder. */
export async function showBlob(context: RepositoryContext): Promise<WebResponse> {
  const { repository, urls, query } = context;
  const name = fullName(repository);
  const { location, content } = await findFile(context);
  if (content.kind === 'directory') {
    return { kind: 'redirect', location: urls.treeHtml(name, location.revision, location.path) };
  }
  const raw = urls.rawHtml(name, location.revision, location.path);
  // What texts link to, or show as an image, as on GitHub.
  if (/^(?:true|1)$/.test(query.get('raw') ?? '')) return { kind: 'redirect', location: raw };
  const view = await contentView(context, location, content);
  const shown = page(
    `${name}: ${location.path}`,
    html`${repositoryHead(context)} ${pathTrail(location, name, urls)}
      <div class="actions">
        ${await revisionChoice(context, location)}
        <p>
          ${bytesText(content.size)} · <a href="${raw}">Raw</a> ·
          <a href="${urls.commitsHtml(name, location.revision, location.path)}">History</a> ·
          <a href="${blameUrl(context, location)}">Blame</a>
          ${
            location.revision === location.commit
              ? ''
              : html`·
                  <a href="${urls.blobHtml(name, location.commit, location.path)}">Permalink</a>`
          }
          ${sourceLink(context, location.path)}
          ${content.kind === 'submodule' ? '' : await fileActs(context, location, 'file')}
        </p>
      </div>
      ${view.content}`,
  );
  return view.hasLines ? { ...shown, script: linesScript } : shown;
}

/** The bytes of a file, as text or as nothing that a browser would run. */
export async function showRaw(context: RepositoryContext): Promise<WebResponse | StreamResponse> {
  const { location, content } = await findFile(context);
  if (content.kind === 'directory' || content.kind === 'submodule') return notFound();
  const { git, ports, repository } = context;
  const { id, size } = content;
  if (size > inlineBytesMax) return { kind: 'stream', bytes: size, open: () => git.streamBlob(id) };
  const found = (await git.readBlob(id)) ?? notFound();
  const large = await findLargeFile(ports.database, repository.id, found);
  if (!large) return bytes(found, location.path);
  const { file, size: largeBytes } = large;
  const open: StreamResponse['open'] = (range) => ports.assetFiles.open(file, range);
  return { kind: 'stream', bytes: largeBytes, name: location.path, open };
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

/** What a page shows of a file. */
interface ContentView {
  readonly content: Html;
  readonly hasLines?: true;
}

async function contentView(
  context: RepositoryContext,
  location: TreeLocation,
  content: Exclude<Content, { kind: 'directory' }>,
): Promise<ContentView> {
  const { git, ports, repository, urls, query } = context;
  if (content.kind === 'submodule') return { content: submoduleView(content) };
  if (content.kind === 'symlink') {
    return { content: html`<p>A link to <code>${content.target}</code>.</p>` };
  }
  if (content.size > shownBytesMax) {
    return { content: html`<p>Too long to show here: see it raw.</p>` };
  }
  const found = (await git.readBlob(content.id)) ?? notFound();
  const raw = urls.rawHtml(fullName(repository), location.revision, location.path);
  const picture = html`<p><img src="${raw}" alt="The picture ${location.path}" /></p>`;
  const large = await findLargeFile(ports.database, repository.id, found);
  if (large) {
    const isPicture = /\.(?:gif|jpe?g|png|svg|webp)$/i.test(location.path);
    return {
      content: html`<p>Stored with Git LFS: ${bytesText(large.size)}.</p>
        ${isPicture ? picture : ''}`,
    };
  }
  if (contentTypeOf(found, location.path).startsWith('image/')) return { content: picture };
  if (!looksLikeText(found)) return { content: html`<p>Binary content.</p>` };
  const text = found.toString();
  if (isMarkdown(location.path) && query.get('plain') !== '1') {
    const { revision, path } = location;
    return {
      content: await markdownFileView(text, {
        location: { fullName: fullName(repository), revision, path, urls },
        imageUrl: context.imageUrl,
      }),
    };
  }
  const separator = query.get('plain') === '1' ? undefined : separatorOf(location.path);
  const rows = separator === undefined ? undefined : parseDelimited(text, separator);
  if (rows) return { content: tableView(rows) };
  const { id, path } = content;
  return { content: await codeView(context, { id, path, text }), hasLines: true };
}

/** Its URL is text of the repository: only an HTTP URL becomes a link. */
function submoduleView({ id, gitUrl }: Content & { kind: 'submodule' }): Html {
  const from = /^https?:\/\//i.test(gitUrl ?? '')
    ? html` of <a href="${gitUrl ?? ''}" rel="nofollow">${gitUrl ?? ''}</a>`
    : gitUrl === null
      ? ''
      : html` of <code>${gitUrl}</code>`;
  return html`<p>A submodule at <code>${id}</code>${from}.</p>`;
}

/** The first row names the columns. */
function tableView([head = [], ...rows]: readonly (readonly string[])[]): Html {
  return html`<div class="wide sheet" role="group" aria-label="Table" tabindex="0">
    <table>
      <thead>
        <tr>
          ${head.map((name) => (name === '' ? html`<td></td>` : html`<th scope="col">${name}</th>`))}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${row.map((cell) => html`<td>${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** Markdown and values as they are written, and back. */
function sourceLink({ query, pageUrl }: RepositoryContext, path: string): Html {
  if (!isMarkdown(path) && separatorOf(path) === undefined) return html``;
  const [own = ''] = pageUrl.split('?', 1);
  return query.get('plain') === '1'
    ? html`· <a href="${own}">Rendered</a>`
    : html`· <a href="${own}?plain=1">Source</a>`;
}
