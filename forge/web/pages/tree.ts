import { findContent } from '../../contents/find-content.ts';
import { notFound } from '../../errors/api-error.ts';
import { fullName } from '../../model/repository.ts';
import { html } from '../kit/html.ts';
import { entryList } from '../parts/entry-list.ts';
import { pathTrail } from '../parts/path-trail.ts';
import { repositoryHead } from '../parts/repository-head.ts';
import { findPlace } from '../kit/revision.ts';
import { page, type WebAnswer } from '../kit/web-answer.ts';
import type { RepositoryContext } from '../kit/web-context.ts';

/** A folder of a revision. A file's address leads to the file. */
export async function showTree(context: RepositoryContext): Promise<WebAnswer> {
  const { repository, git, urls } = context;
  const name = fullName(repository);
  const place = await findPlace(context);
  const content = await findContent(git, place.commit, place.path, urls.clone(name));
  if (!content) return notFound();
  if (content.kind !== 'directory') {
    return { kind: 'redirect', location: urls.blobHtml(name, place.revision, place.path) };
  }
  return page(
    `${name}: ${place.path === '' ? place.revision : place.path}`,
    html`${repositoryHead(context)} ${pathTrail(place, name, urls)}
    ${entryList(content.entries, { fullName: name, revision: place.revision, urls })}`,
  );
}
