import { present } from '#platform/present.ts';

import { combinedCheckStates } from '../../checks/check-state.ts';
import { isEmpty } from '../../commits/resolve-revision.ts';
import { readPage } from '../../http/pagination.ts';
import { notFound } from '../../errors/api-error.ts';
import type { Commit } from '../../git/git.ts';
import { parseTreePath } from '../../git/names.ts';
import { fullName } from '../../model/repository.ts';
import { html, pageLinks } from '#web/html.ts';
import { commitList, pathTrail, repositoryHead } from '../parts/repository-views.ts';
import { findTreeLocation } from '../kit/revision.ts';
import { page, type WebResponse } from '#web/web-response.ts';
import type { RepositoryContext } from '../kit/web-context.ts';

/** The history of a revision, or of one path in it, newest first. */
export async function showCommits(context: RepositoryContext): Promise<WebResponse> {
  const { repository, git, urls } = context;
  const name = fullName(repository);
  // The tab of every page leads here.
  if (context.path['*'] === repository.defaultBranch && (await isEmpty(git, repository))) {
    const clone = urls.clone(name);
    return page(
      `${name}: commits`,
      html`${repositoryHead(context)}
        <p class="empty">
          There is no commit yet. Push one:
          <code>git push ${clone} HEAD:${repository.defaultBranch}</code>
        </p>`,
    );
  }
  const location = await findTreeLocation(context);
  const bounds = readPage(context.query);
  const path = location.path === '' ? undefined : (parseTreePath(location.path) ?? notFound());
  const commits = await git.log({
    from: location.commit,
    skip: bounds.offset,
    max: bounds.size + 1,
    ...present({ path }),
  });
  // A path that no commit of this revision has changed is not there.
  if (commits.length === 0 && path !== undefined && bounds.offset === 0) return notFound();
  const shown = commits.slice(0, bounds.size);
  const states = await context.ports.database.read((sql) =>
    combinedCheckStates(
      sql,
      repository.id,
      shown.map(({ id }) => id),
    ),
  );
  const pageUrl = urls.commitsHtml(name, location.revision, location.path);
  return page(
    `${name}: commits`,
    html`${repositoryHead(context)} ${pathTrail(location, name, urls)}
    ${byDay(shown).map(
      ([day, ofDay]) =>
        html`<h2>Commits on ${day}</h2>
          ${commitList(ofDay, context, states)}`,
    )}
    ${shown.length === 0 ? commitList([], context) : ''}
    ${pageLinks(pageUrl, bounds, commits.length > bounds.size)}`,
  );
}

/** Without a revision, the default branch. */
export async function leadToCommits({ repository, urls }: RepositoryContext): Promise<WebResponse> {
  const location = urls.commitsHtml(fullName(repository), repository.defaultBranch, '');
  return { kind: 'redirect', location };
}

/** In their order, by the day of the committer's time in UTC; clocks of committers may go backwards. */
function byDay(commits: readonly Commit[]): (readonly [day: string, commits: Commit[]])[] {
  const days: (readonly [day: string, commits: Commit[]])[] = [];
  for (const commit of commits) {
    const day = dayNames.format(commit.committer.seconds * 1000);
    const last = days.at(-1);
    if (last?.[0] === day) last[1].push(commit);
    else days.push([day, [commit]]);
  }
  return days;
}

const dayNames = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' });
