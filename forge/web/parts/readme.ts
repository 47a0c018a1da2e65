import { findReadme } from '../../contents/find-content.ts';
import type { ObjectId } from '../../git/names.ts';
import { fullName } from '../../model/repository.ts';
import { html, type Html } from '../kit/html.ts';
import { looksLikeText } from '../kit/web-response.ts';
import type { RepositoryContext } from '../kit/web-context.ts';
import { markdownView } from './markdown-view.ts';

/** Longer files are shown by their name only. */
export const shownBytesMax = 512 * 1024;

/** What a repository says of itself. */
export async function readmeView(
  { git, repository, urls }: RepositoryContext,
  commit: ObjectId,
): Promise<Html | undefined> {
  const name = fullName(repository);
  const found = await findReadme(git, commit, urls.clone(name));
  if (!found || found.size > shownBytesMax) return undefined;
  const content = await git.readBlob(found.id);
  if (!content || !looksLikeText(content)) return undefined;
  const text = content.toString();
  const location = { fullName: name, revision: repository.defaultBranch, path: found.path, urls };
  return html`<section class="readme">
    <h2>${found.path}</h2>
    ${isMarkdown(found.path) ? markdownView(text, location) : html`<pre>${text}</pre>`}
  </section>`;
}

export function isMarkdown(path: string): boolean {
  return /\.(?:md|markdown|mkdn?|mdown)$/i.test(path);
}
