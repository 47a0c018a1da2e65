import { compare, meet } from '../../commits/compare.ts';
import { findSide, splitRange } from '../../commits/comparison-side.ts';
import { notFound } from '../../errors/api-error.ts';
import { fullName } from '../../model/repository.ts';
import { html } from '#web/html.ts';
import { commitList, repositoryHead } from '../parts/repository-views.ts';
import { diffView, shownDiff } from '../parts/diff-view.ts';
import { bytes, page, type WebResponse } from '#web/web-response.ts';
import type { RepositoryContext } from '../kit/web-context.ts';
import { splitFormat } from './commit.ts';

const commitsMax = 250;

/** How one revision stands to another; `.diff` and `.patch` behind them are what the interface gives. */
export async function showComparison(context: RepositoryContext): Promise<WebResponse> {
  const { ports, repository, caller, urls } = context;
  const { name: requested, format } = splitFormat(context.path['*'] ?? '');
  const range = splitRange(requested) ?? notFound();
  const base = (await findSide(ports, repository, caller, range.base)) ?? notFound();
  const head = (await findSide(ports, repository, caller, range.head)) ?? notFound();
  const ends = await meet(ports, base, head);
  if (format === 'diff') return bytes(await ends.git.diffText(ends.mergeBase, ends.head));
  if (format === 'patch') return bytes(await ends.git.formatPatch(ends.base, ends.head));
  const comparison = await compare(ends, { offset: 0, size: commitsMax });
  const name = fullName(repository);
  const address = urls.compareHtml(name, requested);
  return page(
    `${name}: ${requested}`,
    html`${repositoryHead(context)}
      <h2>${requested}</h2>
      <p>
        ${comparison.status}: ${comparison.aheadBy} commits ahead, ${comparison.behindBy} behind ·
        <a href="${address}.diff">diff</a> · <a href="${address}.patch">patch</a>
      </p>
      ${commitList(comparison.commits, context)}
      ${diffView(comparison.files.slice(0, shownDiff.filesMax), {
        fullName: name,
        sha: head.sha,
        urls,
      })}`,
  );
}
