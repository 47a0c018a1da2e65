import { linesScript } from '#web/assets.ts';
import { codeLines, linesOf } from '#web/code-lines.ts';
import { directionNoticeOf } from '#web/direction-notice.ts';
import { html, type Html, timeElement } from '#web/html.ts';
import { looksLikeText, page, type WebResponse } from '#web/web-response.ts';

import { findContent } from '../../contents/find-content.ts';
import { notFound } from '../../errors/api-error.ts';
import type { BlamedLines } from '../../git/blamed-lines.ts';
import { parseTreePath } from '../../git/names.ts';
import { fullName } from '../../model/repository.ts';
import { findTreeLocation, type TreeLocation } from '../kit/revision.ts';
import type { RepositoryContext } from '../kit/web-context.ts';
import { highlightedLines } from '../parts/code-view.ts';
import { shownBytesMax } from '../parts/markdown-view.ts';
import { pathTrail, repositoryHead } from '../parts/repository-views.ts';
import { pathIn } from '../parts/settings-nav.ts';

/** Each line of a file with the commit that wrote it. */
export async function showBlame(context: RepositoryContext): Promise<WebResponse> {
  const { repository, git, urls } = context;
  const name = fullName(repository);
  const location = await findTreeLocation(context);
  const content = await findContent(git, location.commit, location.path, urls.clone(name));
  if (content?.kind !== 'file') return notFound();
  const bytes = content.size > shownBytesMax ? undefined : await git.readBlob(content.id);
  const text = bytes && looksLikeText(bytes) ? bytes.toString() : undefined;
  const path = parseTreePath(content.path) ?? notFound();
  const found =
    text === undefined ? [] : await context.inSlot(() => git.blame(location.commit, path));
  const file = { id: content.id, path: content.path, text: text ?? '' };
  const highlighted = text === undefined ? undefined : await highlightedLines(context, file);
  const lines = linesOf(file.text);
  const rows = found.map((part) => {
    const [first, end] = [part.from - 1, part.from - 1 + part.count];
    return html`<tr>
      <th scope="row">${commitCell(part, context)}</th>
      <td>
        ${codeLines(lines.slice(first, end), { first: part.from, highlighted: highlighted?.slice(first, end) })}
      </td>
    </tr>`;
  });
  const shown = page(
    `${name}: blame of ${location.path}`,
    html`${repositoryHead(context)} ${pathTrail(location, name, urls)}
      <p>
        <a href="${urls.blobHtml(name, location.revision, location.path)}">File</a> ·
        <a href="${urls.commitsHtml(name, location.revision, location.path)}">History</a>
      </p>
      ${
        rows.length === 0
          ? html`<p class="empty">
              ${text === undefined ? 'Binary, or too long to show here.' : 'The file is empty.'}
            </p>`
          : html`${directionNoticeOf(lines)}
              <div class="blame" role="group" aria-label="Lines and their commits" tabindex="0">
                <table>
                  <tbody>
                    ${rows}
                  </tbody>
                </table>
              </div>`
      }`,
  );
  return rows.length === 0 ? shown : { ...shown, script: linesScript };
}

export function blameUrl(
  context: RepositoryContext,
  { revision, path }: Pick<TreeLocation, 'revision' | 'path'>,
): string {
  const { urls, repository } = context;
  const blob = new URL(urls.blobHtml(fullName(repository), revision, path)).pathname;
  return pathIn(context, `blame/${blob.slice(pathIn(context, 'blob/').length)}`);
}

function commitCell(part: BlamedLines, context: RepositoryContext): Html {
  const { repository, urls, now } = context;
  const { commit, title, author, seconds, previous } = part;
  return html`<a href="${urls.commitHtml(fullName(repository), commit)}"
      >${title === '' ? '(no message)' : title}</a
    ><br />${author}, ${timeElement(seconds * 1000, now)}
    ${
      previous === undefined
        ? ''
        : html`·
            <a
              href="${blameUrl(context, { revision: previous.commit, path: previous.path })}"
              aria-label="Blame before ${commit.slice(0, 7)}"
              >before</a
            >`
    }`;
}
