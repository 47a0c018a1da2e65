import { findContent } from '../../contents/find-content.ts';
import { notFound } from '../../errors/api-error.ts';
import { parseTreePath } from '../../git/names.ts';
import { fullName } from '../../model/repository.ts';
import { html } from '#web/html.ts';
import { readmeView } from '../parts/markdown-view.ts';
import { fileActs } from '../parts/file-forms.ts';
import { revisionChoice } from '../parts/revision-choice.ts';
import { entryList, pathTrail, repositoryHead } from '../parts/repository-views.ts';
import { findTreeLocation } from '../kit/revision.ts';
import { page, type WebResponse } from '#web/web-response.ts';
import type { RepositoryContext } from '../kit/web-context.ts';

/** A folder of a revision. A file's URL leads to the file. */
export async function showTree(context: RepositoryContext): Promise<WebResponse> {
  const { repository, git, urls } = context;
  const name = fullName(repository);
  const location = await findTreeLocation(context);
  const content = await findContent(git, location.commit, location.path, urls.clone(name));
  if (!content) return notFound();
  if (content.kind !== 'directory') {
    return { kind: 'redirect', location: urls.blobHtml(name, location.revision, location.path) };
  }
  return page(
    `${name}: ${location.path === '' ? location.revision : location.path}`,
    html`${repositoryHead(context)} ${pathTrail(location, name, urls)}
      <div class="actions">
        ${await revisionChoice(context, location)}
        <span>
          <a href="${urls.commitsHtml(name, location.revision, location.path)}">History</a>
          ${await fileActs(context, location, 'folder')}
        </span>
      </div>
      <section class="card" aria-label="Files">
        ${entryList(content.entries, {
          fullName: name,
          revision: location.revision,
          urls,
          now: context.now,
          lastCommits: await git.lastCommits(location.commit, parseTreePath(location.path)),
        })}
      </section>
      ${await readmeView(context, {
        commit: location.commit,
        revision: location.revision,
        folder: location.path,
      })}`,
  );
}
