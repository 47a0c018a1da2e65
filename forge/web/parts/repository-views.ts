import type { ContentEntry } from '../../contents/content.ts';
import type { Commit } from '../../git/git.ts';
import type { LastCommit } from '../../git/history-summary.ts';
import type { Urls } from '../../json/urls.ts';
import type { CombinedState } from '../../model/commit-status.ts';
import { fullName, type Repository } from '../../model/repository.ts';
import { bytesText, html, type Html, timeElement } from '#web/html.ts';
import { shortcutOf } from '#web/layout.ts';
import type { TreeLocation } from '../kit/revision.ts';
import type { RepositoryContext, WebContext } from '../kit/web-context.ts';

/** The top of every page about a repository. */
export function repositoryHead({
  repository,
  urls,
  pageUrl,
  permission,
  session,
  openPulls,
}: RepositoryContext): Html {
  const home = urls.repositoryHtml(fullName(repository));
  const root = new URL(home).pathname;
  const present = tabOf(pageUrl.split('?', 1)[0]?.slice(root.length) ?? '');
  const tabs: readonly Tab[] = [
    { name: 'code', shortcut: 'g c', label: 'Code', href: home },
    {
      name: 'issues',
      shortcut: 'g i',
      label: 'Issues',
      href: `${home}/issues`,
      count: repository.openIssues - openPulls,
    },
    {
      name: 'pulls',
      shortcut: 'g p',
      label: 'Pull requests',
      href: `${home}/pulls`,
      count: openPulls,
    },
    {
      name: 'commits',
      label: 'Commits',
      href: urls.commitsHtml(fullName(repository), repository.defaultBranch, ''),
    },
    { name: 'branches', shortcut: 'g b', label: 'Branches', href: `${home}/branches` },
    { name: 'tags', label: 'Tags', href: `${home}/tags` },
    { name: 'releases', label: 'Releases', href: `${home}/releases` },
    ...(session && permission === 'admin'
      ? [{ name: 'settings', label: 'Settings', href: `${home}/settings` }]
      : []),
  ];
  const marks = [
    repository.private ? 'private' : 'public',
    ...(repository.archived ? ['archived'] : []),
    ...(repository.parentId === null ? [] : ['fork']),
  ];
  return html`<h1>
      <a href="${urls.userHtml(repository.owner.login)}">${repository.owner.login}</a> /
      <a href="${home}">${repository.name}</a>
    </h1>
    <p class="marks">${marks.map((mark) => html`<span class="mark">${mark}</span> `)}</p>
    <nav class="tabs" aria-label="Repository">
      ${tabs.map(
        ({ name, label, href, shortcut, count = 0 }) =>
          html`<a
            href="${href}"
            ${shortcutOf(shortcut)}
            ${name === present ? html`aria-current="page"` : ''}
            >${label}${count > 0 ? html` <span class="count">${count}</span>` : ''}</a
          > `,
      )}
    </nav>`;
}

interface Tab {
  readonly name: string;
  readonly label: string;
  readonly href: string;
  readonly shortcut?: string;
  /** Of what is open there. */
  readonly count?: number;
}

/** The tab of a page, by the part of its path below the repository. */
function tabOf(path: string): string {
  const [, first = ''] = /^\/?([\w-]*)/.exec(path) ?? [];
  if (first === 'pull' || first === 'pulls') return 'pulls';
  if (first === 'commit' || first === 'commits' || first === 'compare') return 'commits';
  if (['labels', 'milestones'].includes(first)) return 'issues';
  if (first === 'collaborators') return 'settings';
  const others = ['issues', 'branches', 'tags', 'releases', 'settings'];
  return others.includes(first) ? first : 'code';
}

/** `main / src / app`: each part leads to its folder. */
export function pathTrail(
  location: Pick<TreeLocation, 'revision' | 'path'>,
  repository: string,
  urls: Urls,
): Html {
  const parts = location.path === '' ? [] : location.path.split('/');
  const link = (count: number, label: string): Html => {
    const path = parts.slice(0, count).join('/');
    return html`<a href="${urls.treeHtml(repository, location.revision, path)}">${label}</a>`;
  };
  return html`<p class="trail">
    ${link(0, location.revision)}${parts.map((part, index) =>
      index === parts.length - 1 ? html` / ${part}` : html` / ${link(index + 1, part)}`,
    )}
  </p>`;
}

/** Each topic leads to the repositories that have it. */
export function topicLinks(topics: readonly string[]): readonly Html[] {
  return topics.map((topic) => {
    const query = new URLSearchParams({ type: 'repositories', q: `topic:${topic}` });
    return html`<a class="mark" href="/search?${query.toString()}">${topic}</a> `;
  });
}

export function repositoryList(
  repositories: readonly Repository[],
  { urls, now }: Pick<WebContext, 'urls' | 'now'>,
): Html {
  if (repositories.length === 0) {
    return html`<p class="empty">
      No repositories yet. <a href="/-/new">Create one</a>, and push to it.
    </p>`;
  }
  return html`<ul class="rows">
    ${repositories.map(
      (repository) =>
        html`<li>
          <a href="${urls.repositoryHtml(fullName(repository))}">${fullName(repository)}</a>
          ${repository.private ? html`<span class="mark">private</span>` : ''}
          <span class="grow">${repository.description ?? ''}</span>
          ${timeElement(repository.updatedAt, now)}
        </li>`,
    )}
  </ul>`;
}

/** Commits, each by the first line of its message. */
export function commitList(
  commits: readonly Commit[],
  { repository, urls, now }: RepositoryContext,
  states: ReadonlyMap<string, CombinedState> = new Map(),
): Html {
  if (commits.length === 0) return html`<p class="empty">No commits are here.</p>`;
  return html`<ul class="rows">
    ${commits.map(
      (commit) =>
        html`<li>
          <a
            class="grow cut"
            title="${titleOf(commit)}"
            href="${urls.commitHtml(fullName(repository), commit.id)}"
            >${titleOf(commit)}</a
          >
          ${combinedStateView(states.get(commit.id) ?? 'none')}
          <span>${commit.author.name}</span>
          ${timeElement(commit.author.seconds * 1000, now)}
          <a href="${urls.commitHtml(fullName(repository), commit.id)}"
            ><code>${commit.id.slice(0, 7)}</code></a
          >
        </li>`,
    )}
  </ul>`;
}

/** What the statuses and check runs of a commit come to. */
export function combinedStateView(state: CombinedState): Html | string {
  switch (state) {
    case 'none':
      return '';
    case 'success':
      return html`<span class="good">✓ passed</span>`;
    case 'failure':
      return html`<span class="bad">✗ failed</span>`;
    case 'pending':
      return html`<span class="waiting">● pending</span>`;
  }
}

export function titleOf(commit: Pick<Commit, 'message'>): string {
  const first = commit.message.split('\n', 1)[0]?.trim() ?? '';
  return first === '' ? '(no message)' : first;
}

/** Where entries are, and what changed them last. */
interface EntryContext {
  readonly fullName: string;
  readonly revision: string;
  readonly urls: Urls;
  readonly now: number;
  /** By the name of an entry. */
  readonly lastCommits: ReadonlyMap<string, LastCommit>;
}

/** The files and folders of a folder, folders first. */
export function entryList(entries: readonly ContentEntry[], location: EntryContext): Html {
  const folders = entries.filter((entry) => entry.kind === 'directory');
  const others = entries.filter((entry) => entry.kind !== 'directory');
  return html`<ul class="rows entries">
    ${[...folders, ...others].map((entry) => entryRow(entry, location))}
  </ul>`;
}

function entryRow(entry: ContentEntry, location: EntryContext): Html {
  const name = entry.path.slice(entry.path.lastIndexOf('/') + 1);
  const { link, size } = entryCells(entry, name, location);
  const last = lastCommitView(location.lastCommits.get(name), location);
  return html`<li>${link} <span class="size soft">${size}</span> ${last}</li>`;
}

function entryCells(
  entry: ContentEntry,
  name: string,
  { fullName: repository, revision, urls }: EntryContext,
): { readonly link: Html; readonly size: Html | string } {
  const { path } = entry;
  switch (entry.kind) {
    case 'directory':
      return {
        link: html`<a href="${urls.treeHtml(repository, revision, path)}">${name}/</a>`,
        size: '',
      };
    case 'submodule':
      return {
        link: html`<span>${name} <span class="soft">submodule</span></span>`,
        size: html`<code>${entry.id.slice(0, 7)}</code>`,
      };
    case 'file':
    case 'symlink':
      return {
        link: html`<a href="${urls.blobHtml(repository, revision, path)}">${name}</a>`,
        size: entry.kind === 'symlink' ? 'link' : bytesText(entry.size),
      };
  }
}

/** Nothing where none of the newest commits changed the entry. */
function lastCommitView(
  last: LastCommit | undefined,
  { fullName: repository, urls, now }: EntryContext,
): Html | string {
  if (!last) return '';
  const title = last.title === '' ? '(no message)' : last.title;
  return html`<a class="cut soft" title="${title}" href="${urls.commitHtml(repository, last.id)}"
      >${title}</a
    >
    ${timeElement(last.seconds * 1000, now)}`;
}
