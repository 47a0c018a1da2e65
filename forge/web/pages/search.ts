import { textField } from '#web/fields.ts';
import { hidden, problemView } from '#web/form.ts';
import { counted, html, type Html, pageLinks, timeElement } from '#web/html.ts';
import { formPage, type WebResponse } from '#web/web-response.ts';

import { RefusalError, refuse } from '../../errors/api-error.ts';
import { refusalSentence } from '../../errors/error-message.ts';
import { parseTreePath } from '../../git/names.ts';
import { type Page, readPage } from '../../http/pagination.ts';
import { fullName } from '../../model/repository.ts';
import { accountQualifiers, findAccounts } from '../../search/account-search-store.ts';
import { codeQualifiers, findCode, type FoundFile } from '../../search/find-code.ts';
import { commitQualifiers, findCommits } from '../../search/find-commits.ts';
import { findIssues, parseIssueSearch } from '../../search/find-issues.ts';
import { findRepositories, repositoryQualifiers } from '../../search/repository-search-store.ts';
import { requireReachableScopes } from '../../search/search-conditions-store.ts';
import { readSearchOrder, resultsMax } from '../../search/search-order.ts';
import { SearchQueryError } from '../../search/search-query.ts';
import { boundsOf, parseSearch } from '../../search/search-response.ts';
import { searcherOf } from '../../search/searcher.ts';
import { loginPath } from '../kit/login-path.ts';
import type { WebContext } from '../kit/web-context.ts';
import { accountLink, tabsView } from '../parts/account-views.ts';
import { foundIssueList, loadFound } from '../parts/found-issues.ts';
import { repositoryList, titleOf } from '../parts/repository-views.ts';

export const searchPath = '/search';

/** What a search has found, as the page shows it. */
interface Results {
  readonly total: number;
  readonly incomplete?: boolean;
  readonly list: Html;
}

type Search = (context: WebContext, text: string, bounds: Page) => Promise<Results>;

interface Kind {
  readonly label: string;
  readonly one: string;
  readonly many?: string;
  /** Visitors cannot ask: it reads texts, or with git. */
  readonly signedIn: boolean;
  readonly find: Search;
}

const unsorted = { sort: null, order: null };

const kinds: Readonly<Record<string, Kind>> = {
  repositories: {
    label: 'Repositories',
    one: 'repository',
    many: 'repositories',
    signedIn: false,
    find: searchRepositories,
  },
  issues: { label: 'Issues and pulls', one: 'result', signedIn: true, find: searchIssues },
  code: { label: 'Code', one: 'file', signedIn: true, find: searchCode },
  commits: { label: 'Commits', one: 'commit', signedIn: true, find: searchCommits },
  users: { label: 'Users and organizations', one: 'account', signedIn: false, find: searchUsers },
};

/** Searches the whole site, with the query language of the API. */
export async function showSearch(context: WebContext): Promise<WebResponse> {
  const { query, session, pageUrl } = context;
  const text = query.get('q')?.trim() ?? '';
  const asked = query.get('type') ?? '';
  const type = Object.hasOwn(kinds, asked) ? asked : 'repositories';
  const kind = kinds[type];
  if (!kind) throw new Error(`there is no search of ${type}`);
  const shown = readPage(query);
  const isClosed = kind.signedIn && !session;
  // In a slot: whatever is searched, it is searched on the whole site.
  const found =
    text === '' || isClosed
      ? undefined
      : await withoutRefusal(context.inSlot(() => kind.find(context, text, shown)));
  const problem = typeof found === 'string' ? found : undefined;
  const results = typeof found === 'string' ? undefined : found;
  return formPage(
    'Search',
    html`<h1>Search</h1>
      <form class="line" method="get" action="${searchPath}" role="search">
        ${hidden('type', type)} ${textField({ label: 'Search for', name: 'q', value: text })}
        <button type="submit">Search</button>
      </form>
      ${tabsView(
        'What to search',
        Object.entries(kinds).map(([name, { label }]) => ({ href: pathOf(name, text), label })),
        pathOf(type, text),
      )}
      ${problemView(problem)}
      ${isClosed ? html`<p><a href="${loginPath(pageUrl)}" rel="nofollow">Sign in</a> to search this.</p>` : ''}
      ${results === undefined ? syntaxHint() : resultsView(results, { kind, type, text, shown })}`,
    problem === undefined ? 200 : 422,
  );
}

function pathOf(type: string, text: string): string {
  return `${searchPath}?${new URLSearchParams({ type, q: text }).toString()}`;
}

function syntaxHint(): Html {
  return html`<p class="soft">
    Words must all be there; <code>"two words"</code> together. Qualifiers narrow the search:
    <code>user:LOGIN</code>, <code>repo:OWNER/NAME</code>, for issues <code>is:open</code>,
    <code>is:pr</code>, <code>label:bug</code>, <code>author:@me</code>, for code
    <code>path:src</code> and <code>extension:ts</code>.
  </p>`;
}

function resultsView(
  { total, incomplete = false, list }: Results,
  of: { readonly kind: Kind; readonly type: string; readonly text: string; readonly shown: Page },
): Html {
  const { kind, type, text, shown } = of;
  const hasNext = shown.offset + shown.size < Math.min(total, resultsMax);
  return html`<p class="soft">
      ${counted(total, kind.one, kind.many)}${incomplete ? ', and not all was searched: narrow the search' : ''}.
    </p>
    ${total === 0 ? html`<p class="empty">Nothing is found. Try fewer words.</p>` : list}
    ${pageLinks(pathOf(type, text), shown, hasNext)}`;
}

/** The sentence of a refusal, instead of results. */
async function withoutRefusal(search: Promise<Results>): Promise<Results | string> {
  try {
    return await search;
  } catch (error) {
    if (error instanceof SearchQueryError) return error.message;
    if (error instanceof RefusalError) return refusalSentence(error.refusal);
    throw error;
  }
}

async function searchRepositories(
  context: WebContext,
  text: string,
  shown: Page,
): Promise<Results> {
  const { criterion, sort } = parseSearch(text, repositoryQualifiers);
  const order = readSearchOrder(['forks', 'stars', 'updated'], sort, unsorted);
  const searcher = searcherOf(context.caller);
  const { by = 'match', descending } = order;
  const { repositories, total } = await context.ports.database.read(async (sql) => {
    await requireReachableScopes(sql, criterion, searcher);
    return findRepositories(sql, { criterion, searcher }, { by, descending }, boundsOf(shown));
  });
  return { total, list: repositoryList(repositories, context) };
}

async function searchUsers(context: WebContext, text: string, shown: Page): Promise<Results> {
  const { criterion, sort } = parseSearch(text, accountQualifiers);
  const { by = 'match', descending } = readSearchOrder(['repositories', 'joined'], sort, unsorted);
  const { accounts, total } = await context.ports.database.read((sql) =>
    findAccounts(sql, criterion, { by, descending }, boundsOf(shown)),
  );
  const list = html`<ul class="rows">
    ${accounts.map((account) => html`<li>${accountLink(account, context.urls)}</li>`)}
  </ul>`;
  return { total, list };
}

async function searchIssues(context: WebContext, text: string, shown: Page): Promise<Results> {
  const { ports, caller } = context;
  const search = parseIssueSearch(text, unsorted);
  const { offset, size } = boundsOf(shown);
  const { issues, incomplete } = await findIssues(ports.database, search, searcherOf(caller));
  const found = await ports.database.read((sql) =>
    loadFound(sql, issues.slice(offset, offset + size), caller),
  );
  return { total: issues.length, incomplete, list: foundIssueList(found, context) };
}

async function searchCommits(context: WebContext, text: string, shown: Page): Promise<Results> {
  const { ports, caller, urls, now } = context;
  const { criterion, sort } = parseSearch(text, commitQualifiers);
  const order = readSearchOrder(['author-date', 'committer-date'], sort, unsorted);
  const { offset, size } = boundsOf(shown);
  const { commits, incomplete } = await findCommits(ports, criterion, searcherOf(caller), order);
  const list = html`<ul class="rows">
    ${commits.slice(offset, offset + size).map(({ repository, commit }) => {
      const name = fullName(repository);
      return html`<li>
        <a class="grow cut" title="${titleOf(commit)}" href="${urls.commitHtml(name, commit.id)}"
          >${titleOf(commit)}</a
        >
        <span class="soft">${name}</span> <span>${commit.author.name}</span>
        ${timeElement(commit.author.seconds * 1000, now)}
      </li>`;
    })}
  </ul>`;
  return { total: commits.length, incomplete, list };
}

/** File whose lines the page of a search for code shows; larger ones are found, and their lines are not shown. */
const shownBytesMax = 256 * 1024;
/** Lines of a file on that page. */
const linesMax = 3;
/** Characters of a line on that page. */
const lineCharactersMax = 200;

async function searchCode(context: WebContext, text: string, shown: Page): Promise<Results> {
  const { ports, caller } = context;
  if (caller.kind === 'anonymous') refuse({ kind: 'requires-authentication' });
  const { criterion, words } = parseSearch(text, codeQualifiers);
  const { offset, size } = boundsOf(shown);
  const { files, incomplete } = await findCode(ports, criterion, searcherOf(caller));
  const rows: Html[] = [];
  for (const file of files.slice(offset, offset + size)) {
    rows.push(await fileView(context, file, words));
  }
  return { total: files.length, incomplete, list: html`${rows}` };
}

async function fileView(
  { ports, urls }: WebContext,
  { repository, commit, path }: FoundFile,
  words: readonly string[],
): Promise<Html> {
  const name = fullName(repository);
  const pageUrl = urls.blobHtml(name, commit, path);
  const lines = await linesWith(ports, { repository, commit, path }, words);
  return html`<h2><a href="${pageUrl}">${path}</a></h2>
    <p class="soft">${name}</p>
    ${
      lines.length === 0
        ? ''
        : html`<pre tabindex="0">
${lines.map(({ number, text }) => html`<a href="${pageUrl}#L${number}">${number}: ${text}</a> `)}</pre>`
    }`;
}

/** The first lines that have one of the words. */
async function linesWith(
  { git }: Pick<WebContext['ports'], 'git'>,
  { repository, commit, path }: FoundFile,
  words: readonly string[],
): Promise<{ readonly number: number; readonly text: string }[]> {
  const treePath = parseTreePath(path);
  const files = git.repository(repository.id);
  const entry = treePath && (await files.findPath(commit, treePath));
  if (!entry || (entry.size ?? 0) > shownBytesMax) return [];
  const wanted = words.map((word) => word.toLowerCase());
  const content = await files.readBlob(entry.id);
  return (content?.toString() ?? '')
    .split('\n')
    .map((line, index) => ({ number: index + 1, text: line.slice(0, lineCharactersMax) }))
    .filter(({ text: line }) => wanted.some((word) => line.toLowerCase().includes(word)))
    .slice(0, linesMax);
}
