import { accountsById } from '../../accounts/account-store.ts';
import type { Account } from '../../model/account.ts';
import { notFound } from '../../errors/api-error.ts';
import { mergeBaseOf, pullDiff, pullPatch } from '../../pulls/pull-diff.ts';
import { findPull } from '../../pulls/pull-store.ts';
import { headLabel, type Pull } from '../../model/pull.ts';
import { fullName } from '../../model/repository.ts';
import { html, type Html, timeElement } from '#web/html.ts';
import { commitList, repositoryHead } from '../parts/repository-views.ts';
import { diffView, shownDiff } from '../parts/diff-view.ts';
import { markdownView } from '../parts/markdown-view.ts';
import { bytes, page, type WebResponse } from '#web/web-response.ts';
import type { RepositoryContext } from '../kit/web-context.ts';
import { splitFormat } from './commit.ts';

const commitsMax = 250;

/** A pull with its commits and files; `.diff` and `.patch` behind its number are what the interface gives. */
export async function showPull(context: RepositoryContext): Promise<WebResponse> {
  const { ports, repository, git } = context;
  const { name: number, format } = splitFormat(context.path['number'] ?? '');
  if (!/^[1-9]\d{0,14}$/.test(number)) return notFound();
  const { pull, author } = await ports.database.read(async (sql) => {
    const found = (await findPull(sql, repository.id, Number(number))) ?? notFound();
    return { pull: found, author: (await accountsById(sql, [found.authorId])).get(found.authorId) };
  });
  if (format === 'diff') return bytes(await pullDiff(git, pull));
  if (format === 'patch') return bytes(await pullPatch(git, pull));
  return page(
    `${fullName(repository)}: ${pull.title}`,
    html`${repositoryHead(context)} ${headView(pull, author, context)}
    ${pull.body === null || pull.body === '' ? '' : markdownView(pull.body)}
    ${await changesView(pull, context)}`,
  );
}

function headView(
  pull: Pull,
  author: Account | undefined,
  { repository, urls, now }: RepositoryContext,
): Html {
  const address = urls.pullHtml(fullName(repository), pull.number);
  const state = pull.merge ? 'merged' : pull.state;
  return html`<h2>${pull.title} <small>#${pull.number}</small></h2>
    <p>
      <span class="mark">${state}</span> ${pull.draft ? html`<span class="mark">draft</span>` : ''}
      ${author?.login ?? 'ghost'} wants <code>${headLabel(pull)}</code> merged into
      <code>${repository.owner.login}:${pull.base.ref}</code> · opened
      ${timeElement(pull.createdAt, now)}
      ${pull.merge ? html`· merged ${timeElement(pull.merge.at, now)} as ${mergeLink(pull.merge.commit)}` : ''}
    </p>
    <p>
      ${pull.size.changedFiles} files, <ins>+${pull.size.additions}</ins>
      <del>−${pull.size.deletions}</del> · <a href="${address}.diff">diff</a> ·
      <a href="${address}.patch">patch</a>
    </p>`;

  function mergeLink(commit: string): Html {
    const short = html`<code>${commit.slice(0, 7)}</code>`;
    return html`<a href="${urls.commitHtml(fullName(repository), commit)}">${short}</a>`;
  }
}

async function changesView(pull: Pull, context: RepositoryContext): Promise<Html> {
  const { repository, git, urls } = context;
  const commits = await git.log({
    from: pull.head.sha,
    notIn: [pull.base.sha],
    max: commitsMax,
    reverse: true,
  });
  const files = await git.diffFiles(await mergeBaseOf(git, pull), pull.head.sha, shownDiff);
  const location = {
    fullName: fullName(repository),
    sha: pull.head.sha,
    urls,
    changed: pull.size.changedFiles,
  };
  return html`<h2 id="commits">Commits</h2>
    ${commitList(commits, context)}
    <h2 id="files">Files</h2>
    ${diffView(files, location)}`;
}
