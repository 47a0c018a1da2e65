import { GitError } from '../git/git-error.ts';
import type { GitRepository } from '../git/git.ts';
import { type ObjectId, parseTreePath } from '../git/names.ts';
import type { Repository } from '../model/repository.ts';
import type { Ports } from '../ports/ports.ts';
import { defaultBranchHead, searchedRepositories } from './search-git.ts';
import { type Criterion, SearchQueryError, textsOf } from './search-query.ts';
import { resultsMax } from './search-order.ts';
import type { Searcher } from './searcher.ts';

/** A file that a search has found. */
export interface FoundFile {
  readonly repository: Repository;
  readonly commit: ObjectId;
  readonly path: string;
}

export const codeQualifiers: ReadonlySet<string> = new Set([
  'repo',
  'user',
  'org',
  'fork',
  'is',
  'in',
  'path',
  'filename',
  'extension',
]);

const textRequired =
  'Search text is required when searching source code. Searches that use qualifiers only are not allowed. Were you searching for something else?';

/** Time of a search for code, of all repositories; then the results are incomplete. */
const milliseconds = 10_000;

/** Files of the default branches that contain the texts, repository by repository. */
export async function findCode(
  ports: Pick<Ports, 'database' | 'git'>,
  criterion: Criterion,
  searcher: Searcher,
  monotonic: () => number = () => performance.now(),
): Promise<{ files: FoundFile[]; incomplete: boolean }> {
  if (textsOf(criterion).length === 0) throw new SearchQueryError(textRequired);
  const end = monotonic() + milliseconds;
  const searched = await searchedRepositories(ports, criterion, searcher);
  const files: FoundFile[] = [];
  let { incomplete } = searched;
  for (const repository of searched.repositories) {
    if (monotonic() > end || files.length > resultsMax) {
      incomplete = true;
      break;
    }
    const commit = await defaultBranchHead(ports.git, repository);
    if (!commit) continue;
    const search: RepositorySearch = {
      git: ports.git.repository(repository.id),
      commit,
      secondsLeft: () => (end - monotonic()) / 1000,
      cut: false,
    };
    const paths = await unlessGone(() => pathsOf(criterion, search));
    incomplete ||= search.cut;
    for (const path of [...paths].toSorted()) files.push({ repository, commit, path });
  }
  return { files, incomplete };
}

interface RepositorySearch {
  readonly git: GitRepository;
  readonly commit: ObjectId;
  readonly secondsLeft: () => number;
  cut: boolean;
}

/** A repository may be deleted while it is searched. */
async function unlessGone(search: () => Promise<Set<string>>): Promise<Set<string>> {
  try {
    return await search();
  } catch (error) {
    if (error instanceof GitError && error.kind === 'missing-repository') return new Set();
    throw error;
  }
}

/** The paths that meet a criterion which has a text that must be in the file. */
async function pathsOf(criterion: Criterion, search: RepositorySearch): Promise<Set<string>> {
  switch (criterion.kind) {
    case 'text':
      return grep([criterion.text], search);
    case 'any': {
      const found = new Set<string>();
      for (const part of criterion.parts) {
        for (const path of await pathsOf(part, search)) found.add(path);
      }
      return found;
    }
    case 'all':
      return pathsOfAll(criterion.parts, search);
    case 'not':
    case 'qualifier':
      // It selects among files that a text has found.
      return new Set();
  }
}

async function pathsOfAll(
  parts: readonly Criterion[],
  search: RepositorySearch,
): Promise<Set<string>> {
  const texts = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
  const others = parts.filter((part) => part.kind === 'any' || part.kind === 'all').filter(hasText);
  const sets: Set<string>[] = texts.length > 0 ? [await grep(texts, search)] : [];
  for (const part of others) sets.push(await pathsOf(part, search));
  const [first, ...more] = sets;
  let found = first ?? new Set<string>();
  for (const set of more) found = found.intersection(set);
  for (const part of parts) {
    if (found.size === 0) return found;
    if (part.kind === 'not' && hasText(part.part)) {
      found = found.difference(await pathsOf(part.part, search));
    } else if (!hasText(part)) {
      found = new Set([...found].filter((path) => meets(path, part)));
    }
  }
  return found;
}

function hasText(criterion: Criterion): boolean {
  return textsOf(criterion).length > 0 || (criterion.kind === 'not' && hasText(criterion.part));
}

async function grep(texts: readonly string[], search: RepositorySearch): Promise<Set<string>> {
  const seconds = search.secondsLeft();
  if (seconds <= 0) {
    search.cut = true;
    return new Set();
  }
  const { paths, cut } = await search.git.grep(search.commit, texts, seconds);
  search.cut ||= cut;
  // A name that is not UTF-8 has no URL.
  return new Set(paths.filter((path) => parseTreePath(path) !== undefined));
}

/** Whether a path meets a criterion without texts. */
function meets(path: string, criterion: Criterion): boolean {
  switch (criterion.kind) {
    case 'all':
      return criterion.parts.every((part) => meets(path, part));
    case 'any':
      return criterion.parts.some((part) => meets(path, part));
    case 'not':
      return !meets(path, criterion.part);
    case 'text':
      return false;
    case 'qualifier':
      return criterion.values.some((value) => meetsQualifier(path, criterion.name, value));
  }
}

function meetsQualifier(path: string, qualifier: string, value: string): boolean {
  const wanted = value.toLowerCase();
  const lower = path.toLowerCase();
  const name = lower.slice(lower.lastIndexOf('/') + 1);
  switch (qualifier) {
    case 'path':
      return wanted === '/' ? !path.includes('/') : inFolder(lower, wanted);
    case 'filename':
      return name.includes(wanted);
    case 'extension':
      return name.endsWith(`.${wanted.replace(/^\./, '')}`);
    default:
      // The repository is decided before.
      return true;
  }
}

function inFolder(path: string, folder: string): boolean {
  const wanted = folder.replaceAll(/^\/+|\/+$/g, '');
  return path === wanted || path.startsWith(`${wanted}/`);
}
