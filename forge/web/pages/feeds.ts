import { escapeText } from '#web/html.ts';
import type { WebResponse } from '#web/web-response.ts';

import { accountsById, findAccount } from '../../accounts/account-store.ts';
import { notFound, RefusalError } from '../../errors/api-error.ts';
import { type ActivitySource, activitiesFrom } from '../../events/activity-store.ts';
import { shownMilliseconds } from '../../events/activity.ts';
import type { Commit } from '../../git/git.ts';
import { actorOf } from '../../model/domain-event.ts';
import { fullName } from '../../model/repository.ts';
import { listReleases } from '../../releases/release-store.ts';
import { repositoriesById } from '../../repositories/repository-store.ts';
import { accountSegment } from '../kit/page-paths.ts';
import { findTreeLocation } from '../kit/revision.ts';
import type { RepositoryContext, WebContext } from '../kit/web-context.ts';
import { showCommits } from './commits.ts';

/** What everybody may see of everything that happens. */
export const timelinePath = '/-/timeline.atom';

/** Entries of an Atom feed; as many as lists have on their first page. */
const entriesMax = 30;
/** Entries of an Atom feed of tags: the time of each is that of its commit, which is read alone. */
const tagsMax = 10;

interface Entry {
  readonly title: string;
  readonly link: string;
  /** Milliseconds since the epoch. */
  readonly updated: number;
  readonly author: string;
  readonly content?: string | null;
}

/** The history of a revision as a page, or as a feed at its name with `.atom`, unless something has that name. */
export async function showHistory(context: RepositoryContext): Promise<WebResponse> {
  const [, stem] = /^(.+)\.atom$/s.exec(context.path['*'] ?? '') ?? [];
  if (stem === undefined) return showCommits(context);
  try {
    return await showCommits(context);
  } catch (error) {
    if (!(error instanceof RefusalError) || error.refusal.kind !== 'not-found') throw error;
    return commitFeed(context, stem);
  }
}

export function showCommitFeed(context: RepositoryContext): Promise<WebResponse> {
  return commitFeed(context, context.repository.defaultBranch);
}

async function commitFeed(context: RepositoryContext, revision: string): Promise<WebResponse> {
  const { repository, git, urls } = context;
  const name = fullName(repository);
  const location = await findTreeLocation({ ...context, path: { '*': revision } });
  if (location.path !== '') return notFound();
  const commits = await git.log({ from: location.commit, max: entriesMax });
  const link = urls.commitsHtml(name, location.revision, '');
  return feed(context, `Commits of ${name}: ${location.revision}`, link, commits.map(entryOf));

  function entryOf({ id, message, author, committer }: Commit): Entry {
    return {
      title: message.split('\n', 1)[0] ?? '',
      link: urls.commitHtml(name, id),
      updated: committer.seconds * 1000,
      author: author.name,
      content: message,
    };
  }
}

/** The published releases. */
export async function showReleaseFeed(context: RepositoryContext): Promise<WebResponse> {
  const { ports, repository, urls } = context;
  const name = fullName(repository);
  const page = { offset: 0, size: entriesMax };
  const { releases, authors } = await ports.database.read(async (sql) => {
    const list = await listReleases(sql, repository.id, false, page);
    const ids = list.releases.map(({ authorId }) => authorId);
    return { releases: list.releases, authors: await accountsById(sql, ids) };
  });
  const entries = releases.map((release) => ({
    title: release.name ?? release.tagName,
    link: urls.releaseHtml(name, release.tagName),
    updated: release.publishedAt ?? release.createdAt,
    author: authors.get(release.authorId)?.login ?? '',
    content: release.body,
  }));
  return feed(context, `Releases of ${name}`, `${urls.repositoryHtml(name)}/releases`, entries);
}

export async function showTagFeed(context: RepositoryContext): Promise<WebResponse> {
  const { repository, git, urls } = context;
  const name = fullName(repository);
  const refs = (await git.listRefs('refs/tags/')).toReversed().slice(0, tagsMax);
  const entries: Entry[] = [];
  for (const ref of refs) {
    const id = await git.resolveCommit(ref.name);
    const commit = id && (await git.readCommit(id));
    const tag = ref.name.slice('refs/tags/'.length);
    if (!commit) continue;
    const updated = commit.committer.seconds * 1000;
    entries.push({
      title: tag,
      link: urls.treeHtml(name, tag, ''),
      updated,
      author: commit.author.name,
    });
  }
  return feed(context, `Tags of ${name}`, `${urls.repositoryHtml(name)}/tags`, entries);
}

/** Those that belong to no repository. */
export const feedPages: readonly (readonly [
  path: string,
  show: (context: WebContext) => Promise<WebResponse>,
])[] = [
  [`/${accountSegment}.atom`, showUserFeed],
  [timelinePath, showTimelineFeed],
];

/** What a user did in public repositories. */
async function showUserFeed(context: WebContext): Promise<WebResponse> {
  const { ports, path, urls } = context;
  const account = await ports.database.readOne((sql) => findAccount(sql, path['owner'] ?? ''));
  if (account?.kind !== 'user') return notFound();
  const { login, id: accountId } = account;
  return activityFeed(context, `What ${login} did`, urls.userHtml(login), {
    kind: 'caused',
    accountId,
  });
}

function showTimelineFeed(context: WebContext): Promise<WebResponse> {
  return activityFeed(context, 'Public events', context.urls.web('/-/home'), {
    kind: 'everywhere',
  });
}

async function activityFeed(
  context: WebContext,
  title: string,
  link: string,
  source: ActivitySource,
): Promise<WebResponse> {
  const { ports, urls, now } = context;
  const shown = { since: now - shownMilliseconds, publicOnly: true };
  const { activities, repositories, actors } = await ports.database.read(async (sql) => {
    const listed = (await activitiesFrom(sql, source, shown))
      // A fork may be private.
      .filter(({ type }) => type !== 'ForkEvent')
      .slice(0, entriesMax);
    const ids = listed.map(({ repositoryId }) => repositoryId);
    const actorIds = listed.flatMap(({ domainEvent }) => actorOf(domainEvent) ?? []);
    return {
      activities: listed,
      repositories: await repositoriesById(sql, ids),
      actors: await accountsById(sql, actorIds),
    };
  });
  const entries = activities.flatMap(
    ({ id, type, domainEvent, repositoryId, createdAt }): Entry[] => {
      const repository = repositories.get(repositoryId);
      if (!repository) return [];
      const name = fullName(repository);
      const author = actors.get(actorOf(domainEvent) ?? 0)?.login ?? repository.owner.login;
      return [
        {
          title: `${author}: ${type} in ${name}`,
          link: `${urls.repositoryHtml(name)}#${id}`,
          updated: createdAt,
          author,
        },
      ];
    },
  );
  return feed(context, title, link, entries);
}

/** RFC 4287. */
function feed(
  { pageUrl, urls, now }: WebContext,
  title: string,
  link: string,
  entries: readonly Entry[],
): WebResponse {
  const self = urls.web(pageUrl);
  const updated = Math.max(0, ...entries.map((entry) => entry.updated)) || now;
  const body = `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${escaped(link)}</id>
<title>${escaped(title)}</title>
<link rel="alternate" type="text/html" href="${escaped(link)}"/>
<link rel="self" type="application/atom+xml" href="${escaped(self)}"/>
<updated>${timeOf(updated)}</updated>
${entries.map(entryXml).join('\n')}
</feed>
`;
  return { kind: 'bytes', contentType: 'application/atom+xml; charset=utf-8', body };
}

function entryXml({ title, link, updated, author, content }: Entry): string {
  return `<entry>
<id>${escaped(link)}</id>
<title>${escaped(title)}</title>
<link rel="alternate" type="text/html" href="${escaped(link)}"/>
<updated>${timeOf(updated)}</updated>
<author><name>${escaped(author)}</name></author>${
    content ? `\n<content type="text">${escaped(content)}</content>` : ''
  }
</entry>`;
}

/** git takes times that no date has. */
function timeOf(milliseconds: number): string {
  const last = 253_402_300_799_000;
  return new Date(Math.min(Math.max(0, milliseconds), last)).toISOString();
}

/** Commits may have characters that XML does not. */
function escaped(text: string): string {
  return escapeText(
    text.replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, ' '),
  );
}
