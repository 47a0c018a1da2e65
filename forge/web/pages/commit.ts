import { combinedCheckState } from '../../checks/check-state.ts';
import { accountsById } from '../../accounts/account-store.ts';
import { listCommitComments } from '../../commit-comments/commit-comment-store.ts';
import { notFound } from '../../errors/api-error.ts';
import type { Commit } from '../../git/git.ts';
import { fullName } from '../../model/repository.ts';
import { inTurns } from '#platform/in-turns.ts';
import { diffScript } from '#web/assets.ts';
import { counted, html, type Html, timeElement } from '#web/html.ts';
import { combinedStateView, titleOf, repositoryHead } from '../parts/repository-views.ts';
import { readDiffChoice } from '../kit/diff-choice.ts';
import { loginOf, textCard } from '../parts/conversation.ts';
import { markdownView } from '../parts/markdown-view.ts';
import { containingRefsView } from '../parts/containing-refs-view.ts';
import { diffView, shownDiff } from '../parts/diff-view.ts';
import { bytes, page, type WebResponse } from '#web/web-response.ts';
import type { RepositoryContext } from '../kit/web-context.ts';

/** A commit with what it changed; `.diff` and `.patch` behind its id give that as text. */
export async function showCommit(context: RepositoryContext): Promise<WebResponse> {
  const { repository, git, urls } = context;
  const { name: revision, format } = splitFormat(context.path['revision'] ?? '');
  const id = await git.resolveCommit(revision);
  const commit = (id && (await git.readCommit(id))) ?? notFound();
  const parent = commit.parents[0];
  if (format === 'diff') return bytes(await git.diffText(parent, commit.id));
  if (format === 'patch') return bytes(await git.formatPatch(parent, commit.id));
  const name = fullName(repository);
  const stat = await git.diffStat(parent, commit.id);
  const state = await context.ports.database.read((sql) =>
    combinedCheckState(sql, repository.id, commit.id),
  );
  const pageUrl = new URL(urls.commitHtml(name, commit.id)).pathname;
  const choice = readDiffChoice(context, pageUrl);
  const [files, containing] = await Promise.all([
    git.diffFiles(parent, commit.id, shownDiff(choice)),
    containingRefsView(context, commit.id, pageUrl),
  ]);
  const shown = page(
    `${name}: ${titleOf(commit)}`,
    html`${repositoryHead(context)}
      <h2>${titleOf(commit)}</h2>
      ${bodyView(commit)} ${peopleView(commit, context.now)} ${parentsView(commit, context)}
      <p>
        ${counted(stat.files, 'file')}, <ins>+${stat.additions}</ins>
        <del>−${stat.deletions}</del> ·
        <a href="${urls.commitHtml(name, commit.id)}.diff">diff</a> ·
        <a href="${urls.commitHtml(name, commit.id)}.patch">patch</a> ·
        <a href="${urls.treeHtml(name, commit.id, '')}">files at this commit</a>
        ${combinedStateView(state)}
      </p>
      ${containing}
      <h2 id="files">Files</h2>
      ${await diffView(files, { fullName: name, sha: commit.id, urls, git, colouring: context, choice, changed: stat.files })}
      ${await commentsView(commit, context)}`,
  );
  return { ...shown, script: diffScript, cookies: choice.cookies };
}

/** The first comments; none is written here. */
const shownComments = { offset: 0, size: 100 };

async function commentsView(
  { id }: Commit,
  { repository, ports, now, imageUrl }: RepositoryContext,
): Promise<Html | string> {
  const { comments, accounts } = await ports.database.read(async (sql) => {
    const found = await listCommitComments(sql, repository.id, id, shownComments);
    const authors = found.comments.map(({ authorId }) => authorId);
    return { ...found, accounts: await accountsById(sql, authors) };
  });
  if (comments.length === 0) return '';
  return html`<h3>Comments</h3>
    ${await inTurns(comments, (comment) => {
      const { path } = comment;
      const card = {
        id: `commitcomment-${comment.id}`,
        author: loginOf(accounts, comment.authorId),
        said: path === null ? 'commented' : `commented on ${path}`,
        at: comment.createdAt,
      };
      return textCard(card, markdownView(comment.body, { imageUrl }), now);
    })}`;
}

/** `name.diff` and `name.patch` in two. */
export function splitFormat(text: string): { name: string; format: 'diff' | 'patch' | undefined } {
  const match = /^(.+)\.(diff|patch)$/.exec(text);
  const [, name = text, ending] = match ?? [];
  return { name, format: ending === 'diff' || ending === 'patch' ? ending : undefined };
}

/** The message below its title. */
function bodyView({ message }: Commit): Html | string {
  const body = message.split('\n').slice(1).join('\n').trim();
  return body === '' ? '' : html`<pre tabindex="0">${body}</pre>`;
}

function peopleView({ author, committer }: Commit, now: number): Html {
  const same = author.name === committer.name && author.email === committer.email;
  return html`<p>
    ${author.name} &lt;${author.email}&gt; ${timeElement(author.seconds * 1000, now)}
    ${
      same
        ? ''
        : html`· committed by ${committer.name} &lt;${committer.email}&gt;
          ${timeElement(committer.seconds * 1000, now)}`
    }
  </p>`;
}

function parentsView(commit: Commit, { repository, urls }: RepositoryContext): Html {
  const name = fullName(repository);
  return html`<p>
    <code>${commit.id}</code>
    ${commit.parents.length === 0 ? '' : 'after '}
    ${commit.parents.map(
      (parent) =>
        html`<a href="${urls.commitHtml(name, parent)}"><code>${parent.slice(0, 7)}</code></a> `,
    )}
  </p>`;
}
