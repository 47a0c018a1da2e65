import { findAccount } from '../accounts/account-store.ts';
import { commitEmails } from '../accounts/email-store.ts';
import { GitError } from '../git/git-error.ts';
import type { Commit, LogOptions, Signature } from '../git/git.ts';
import { caseless } from '../model/account.ts';
import type { Repository } from '../model/repository.ts';
import type { Ports } from '../ports/ports.ts';
import { defaultBranchHead, searchedRepositories } from './search-git.ts';
import { type Criterion, SearchQueryError, textsOf, valuesOf } from './search-query.ts';
import { type Range, timeRange } from './search-ranges.ts';
import type { Searcher } from './searcher.ts';

/** A commit that a search has found. */
export interface FoundCommit {
  readonly repository: Repository;
  readonly commit: Commit;
}

export interface CommitOrder {
  readonly by: 'author-date' | 'committer-date' | undefined;
  readonly descending: boolean;
}

const personal = ['author', 'committer'] as const;

export const commitQualifiers: ReadonlySet<string> = new Set([
  'repo',
  'user',
  'org',
  'fork',
  'is',
  ...personal.flatMap((who) => [who, `${who}-name`, `${who}-email`, `${who}-date`]),
  'merge',
  'hash',
  'parent',
  'tree',
]);

/** Commits of one repository that a search reads. */
const commitsMax = 1000;
/** Time of a search for commits, of all repositories; then the results are incomplete. */
const milliseconds = 10_000;

/** Commits of the default branches that meet the criterion, the newest first. */
export async function findCommits(
  ports: Pick<Ports, 'database' | 'git'>,
  criterion: Criterion,
  searcher: Searcher,
  order: CommitOrder,
  monotonic: () => number = () => performance.now(),
): Promise<{ commits: FoundCommit[]; incomplete: boolean }> {
  checkRanges(criterion);
  const end = monotonic() + milliseconds;
  const searched = await searchedRepositories(ports, criterion, searcher);
  const emails = await emailsOf(ports, criterion, searcher);
  const commits: FoundCommit[] = [];
  let { incomplete } = searched;
  for (const repository of searched.repositories) {
    if (monotonic() > end) {
      incomplete = true;
      break;
    }
    const read = await readLog(ports, repository, criterion);
    incomplete ||= read.cut;
    for (const commit of read.commits) {
      if (meets(commit, criterion, emails)) commits.push({ repository, commit });
    }
  }
  return { commits: sorted(commits, order), incomplete };
}

function sorted(commits: readonly FoundCommit[], { by, descending }: CommitOrder): FoundCommit[] {
  const who = by === 'author-date' ? 'author' : 'committer';
  const ascending = commits.toSorted(
    (one, other) => one.commit[who].seconds - other.commit[who].seconds,
  );
  return descending ? ascending.toReversed() : ascending;
}

async function readLog(
  { git }: Pick<Ports, 'git'>,
  repository: Repository,
  criterion: Criterion,
): Promise<{ commits: Commit[]; cut: boolean }> {
  const from = await defaultBranchHead(git, repository);
  if (!from) return { commits: [], cut: false };
  // git looks for one word in messages; the rest is decided for each commit.
  const [word] = criterion.kind === 'all' ? criterion.parts.flatMap(wordOf) : [];
  const options: LogOptions = {
    from,
    max: commitsMax + 1,
    ...(word === undefined ? {} : { message: word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&') }),
  };
  try {
    const commits = await git.repository(repository.id).log(options);
    return { commits: commits.slice(0, commitsMax), cut: commits.length > commitsMax };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    if (error.kind === 'missing-repository') return { commits: [], cut: false };
    if (error.kind === 'limit') return { commits: [], cut: true };
    throw error;
  }
}

/** Words that git finds as they are: without letters whose case it does not know, in one line. */
function wordOf(criterion: Criterion): string[] {
  return criterion.kind === 'text' && /^[\x20-\x7e]+$/.test(criterion.text) ? [criterion.text] : [];
}

/** By value of a qualifier, in lower case. */
type Addresses = ReadonlyMap<string, ReadonlySet<string>>;

/** The addresses of the users of `author:` and `committer:`, by the values of these. */
async function emailsOf(
  { database }: Pick<Ports, 'database'>,
  criterion: Criterion,
  { login: own }: Searcher,
): Promise<Addresses> {
  const values = new Set(personal.flatMap((who) => valuesOf(criterion, who)));
  return database.read(async (sql) => {
    const emails = new Map<string, ReadonlySet<string>>();
    for (const value of values) {
      const login = value === '@me' ? own : value;
      const account = login === undefined ? undefined : await findAccount(sql, login);
      if (account?.kind !== 'user') continue;
      emails.set(value, new Set((await commitEmails(sql, account)).map(caseless)));
    }
    return emails;
  });
}

function checkRanges(criterion: Criterion): void {
  for (const who of personal) valuesOf(criterion, `${who}-date`).forEach(timeRange);
  const needed = [...commitQualifiers].filter((name) => valuesOf(criterion, name).length > 0);
  if (needed.length > 0 || textsOf(criterion).length > 0) return;
  throw new SearchQueryError('The query has neither a text nor a qualifier.');
}

function meets(commit: Commit, criterion: Criterion, emails: Addresses): boolean {
  switch (criterion.kind) {
    case 'all':
      return criterion.parts.every((part) => meets(commit, part, emails));
    case 'any':
      return criterion.parts.some((part) => meets(commit, part, emails));
    case 'not':
      return !meets(commit, criterion.part, emails);
    case 'text':
      return contains(commit.message, criterion.text);
    case 'qualifier':
      return criterion.values.some((value) => hasValue(commit, criterion.name, value, emails));
  }
}

function hasValue(commit: Commit, name: string, value: string, emails: Addresses): boolean {
  for (const who of personal) {
    const person = commit[who];
    if (name === who) return emails.get(value)?.has(caseless(person.email)) === true;
    if (name === `${who}-name`) return contains(person.name, value);
    if (name === `${who}-email`) return caseless(person.email) === caseless(value);
    if (name === `${who}-date`) return isWithin(person, timeRange(value));
  }
  switch (name) {
    case 'merge':
      return value === 'true' ? commit.parents.length > 1 : commit.parents.length <= 1;
    case 'hash':
      return commit.id.startsWith(value.toLowerCase());
    case 'parent':
      return commit.parents.some((id) => id.startsWith(value.toLowerCase()));
    case 'tree':
      return commit.tree.startsWith(value.toLowerCase());
    default:
      // The repository is decided before.
      return true;
  }
}

function isWithin({ seconds }: Signature, { from, to }: Range): boolean {
  const at = seconds * 1000;
  return (from === undefined || at >= from) && (to === undefined || at <= to);
}

function contains(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase());
}
