import { counted, html, type Html } from '#web/html.ts';

import type { RefNames } from '../../git/history-summary.ts';
import type { ObjectId } from '../../git/names.ts';
import { fullName } from '../../model/repository.ts';
import type { Pull } from '../../model/pull.ts';
import { pullsAtCommit } from '../../pulls/pull-store.ts';
import { pullsOfCommit } from '../../pulls/pulls-of-commit.ts';
import { refsVersions } from '../../ref-updates/refs-version-store.ts';
import type { RepositoryContext } from '../kit/web-context.ts';

/** Of each kind at first; the page with all of them shows what git names. */
const namesShown = 10;
/** Pulls with a commit on its page. */
const pullsMax = 10;

/**
 * The branches, tags and pulls that contain a commit. What takes git long is looked for only where the URL asks for it, and then
 * waits for a slot, so that reading many commits does not take git's time from others.
 */
export async function containingRefsView(
  context: RepositoryContext,
  commit: ObjectId,
  pageUrl: string,
): Promise<Html> {
  const { git, ports, repository, query, inSlot, urls } = context;
  const thorough = query.get('refs') === 'all';
  const { refsVersion, atCommit } = await ports.database.read(async (sql) => ({
    refsVersion: (await refsVersions(sql, [repository.id])).get(repository.id) ?? 0,
    atCommit: thorough ? [] : await pullsAtCommit(sql, repository.id, commit, pullsMax),
  }));
  const find = async () => ({
    refs: await git.containingRefs({
      commit,
      refsVersion,
      effort: thorough ? 'thorough' : 'quick',
    }),
    pulls: thorough ? (await pullsOfCommit(ports, repository.id, commit)).pulls : atCommit,
  });
  const { refs, pulls } = thorough ? await inSlot(find) : await find();
  const home = urls.repositoryHtml(fullName(repository));
  const all = `${pageUrl}?refs=all#refs`;
  const list = (label: string, { names, count }: RefNames, page: string): Html | string => {
    if (count === 0) return '';
    const shown = thorough ? names : names.slice(0, namesShown);
    const more = count - shown.length;
    const leads = thorough ? `${home}/${page}` : all;
    return html`<div>
      <dt>${label}</dt>
      <dd>
        ${shown.map((name) => html`<a class="mark" href="${urls.treeHtml(fullName(repository), name, '')}">${name}</a> `)}
        ${more > 0 ? html`<a href="${leads}">and ${more} more</a>` : ''}
      </dd>
    </div>`;
  };
  const none = refs && refs.branches.count + refs.tags.count === 0;
  return html`<section id="refs" aria-label="Where this commit is">
    <dl class="facts">
      ${refs && list('Branches', refs.branches, 'branches')}
      ${refs && list('Tags', refs.tags, 'tags')} ${pullsView(pulls, context)}
    </dl>
    ${none ? html`<p class="soft">No branch and no tag contains this commit.</p>` : ''}
    ${refs?.cut ? html`<p class="soft">There are even more than are counted here.</p>` : ''}
    ${
      refs
        ? ''
        : thorough
          ? html`<p class="soft">
              Finding the branches and tags that contain this commit takes too long.
            </p>`
          : html`<p>
              <a href="${all}">Find the branches and tags that contain this commit</a>, which takes
              some seconds.
            </p>`
    }
  </section>`;
}

function pullsView(pulls: readonly Pull[], { repository, urls }: RepositoryContext): Html | string {
  if (pulls.length === 0) return '';
  return html`<div>
    <dt>${pulls.length === 1 ? 'Pull request' : 'Pull requests'}</dt>
    <dd>
      <ul class="plain">
        ${pulls.slice(0, pullsMax).map(
          ({ number, title }) =>
            html`<li>
              <a href="${urls.pullHtml(fullName(repository), number)}">${title}</a>
              <span class="soft">#${number}</span>
            </li>`,
        )}
      </ul>
      ${pulls.length > pullsMax ? html`and ${counted(pulls.length - pullsMax, 'other')}` : ''}
    </dd>
  </div>`;
}
