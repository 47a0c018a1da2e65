import type { Commit } from '../../git/git.ts';
import { fullName, type Repository } from '../../model/repository.ts';
import type { Urls } from '../../json/urls.ts';
import { html, type Html } from '../kit/html.ts';
import { timeElement } from './time-element.ts';

/** Commits, each by the first line of its message. */
export function commitList(commits: readonly Commit[], repository: Repository, urls: Urls): Html {
  if (commits.length === 0) return html`<p>No commits.</p>`;
  return html`<ul class="rows">
    ${commits.map(
      (commit) =>
        html`<li>
          <a class="grow" href="${urls.commitHtml(fullName(repository), commit.id)}"
            >${titleOf(commit)}</a
          >
          <span>${commit.author.name}</span>
          ${timeElement(commit.author.seconds * 1000)} <code>${commit.id.slice(0, 7)}</code>
        </li>`,
    )}
  </ul>`;
}

export function titleOf(commit: Pick<Commit, 'message'>): string {
  const first = commit.message.split('\n', 1)[0]?.trim() ?? '';
  return first === '' ? '(no message)' : first;
}
