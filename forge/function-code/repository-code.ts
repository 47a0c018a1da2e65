import { reconciledRead } from '../auth/reconciled-read.ts';
import { GitError } from '../git/git-error.ts';
import type { GitRepository, TreeEntry } from '../git/git.ts';
import { branchRef, parseBranchName, parseTreePath, type ObjectId } from '../git/names.ts';
import { refusalOfError } from '../http/from-git-error.ts';
import { atLeast } from '../model/permission.ts';
import { locateByName } from '../permissions/access-store.ts';
import type { Ports } from '../ports/ports.ts';
import { accountPermissionIn } from '../repositories/repository-access.ts';
import { repositoriesById } from '../repositories/repository-store.ts';

/** Repositories as the function service reads code from them. `hob serve` connects the two. */
export interface RepositoryCode {
  /** What is at a path of a commit, as far as the user may read the repository. */
  read(query: CodeQuery): Promise<CodeResult>;
  /** Why reading content has failed, which is read later; undefined: for no reason that was foreseen. */
  failureOf(error: unknown): CodeFailure | undefined;
}

interface CodeQuery {
  readonly owner: string;
  readonly name: string;
  /** A commit, branch or tag; undefined: the default branch. */
  readonly revision: string | undefined;
  /** The root for ''. */
  readonly path: string;
  /** Of the reader; undefined: one who reads public repositories only. */
  readonly userId: number | undefined;
  /** Folders with more files, and files and folders with more bytes, are too large. */
  readonly filesMax: number;
  readonly bytesMax: number;
}

type CodeResult =
  | { readonly kind: 'file'; readonly content: AsyncIterable<Uint8Array> }
  | { readonly kind: 'folder'; readonly files: readonly CodeFile[] }
  | { readonly kind: 'no-revision' }
  | { readonly kind: 'no-path' }
  | CodeFailure;

type CodeFailure =
  /** It does not exist, or the user may not know of it. */
  | { readonly kind: 'no-repository' }
  | { readonly kind: 'too-large' }
  /** For now. */
  | { readonly kind: 'unavailable'; readonly message: string };

/** A file of a folder, in git's order. Submodules are empty folders, as in the archives of git. */
interface CodeFile {
  /** Below the folder. */
  readonly path: string;
  readonly kind: 'file' | 'executable' | 'link' | 'folder';
  read(): Promise<Uint8Array | AsyncIterable<Uint8Array>>;
}

type CodePorts = Pick<Ports, 'database' | 'git' | 'reconciliation'>;

export function createRepositoryCode(ports: CodePorts): RepositoryCode {
  return {
    async read(query) {
      try {
        return await read(ports, query);
      } catch (error) {
        const failure = failureOf(error);
        if (failure) return failure;
        throw error;
      }
    },
    failureOf,
  };
}

function failureOf(error: unknown): CodeFailure | undefined {
  const isGone =
    error instanceof GitError &&
    (error.kind === 'missing-repository' || error.kind === 'missing-object');
  // Deleted meanwhile.
  if (isGone) return { kind: 'no-repository' };
  const refusal = refusalOfError(error);
  if (refusal?.kind === 'git-limit') return { kind: 'too-large' };
  return refusal?.kind === 'unavailable' ? refusal : undefined;
}

async function read(ports: CodePorts, query: CodeQuery): Promise<CodeResult> {
  const { repository } = await findReadable(ports, query);
  if (!repository) return { kind: 'no-repository' };
  const git = ports.git.repository(repository.id);
  const commit = await commitOf(git, query.revision, repository.defaultBranch);
  if (!commit) return { kind: query.revision === undefined ? 'no-path' : 'no-revision' };
  if (query.path === '') return folder(git, commit, query);
  const path = parseTreePath(query.path);
  // Links on the way are not followed.
  const entry = path && (await git.findPath(commit, path));
  if (entry?.type === 'tree') return folder(git, entry.id, query);
  if (entry?.type !== 'blob' || kindOf(entry) === 'link') return { kind: 'no-path' };
  if ((entry.size ?? 0) > query.bytesMax) return { kind: 'too-large' };
  return { kind: 'file', content: streamed(git, entry.id) };
}

/** git is started when the content is read, so that nothing is left of one that is not read. */
async function* streamed(git: GitRepository, id: ObjectId): AsyncGenerator<Uint8Array> {
  yield* await git.streamBlob(id);
}

interface Readable {
  readonly repository: { readonly id: number; readonly defaultBranch: string } | undefined;
  readonly networkId: number | undefined;
}

/** An access key reads what its owner may read: it has no scopes. */
async function findReadable(ports: CodePorts, query: CodeQuery): Promise<Readable> {
  const { owner, name, userId = 0 } = query;
  return reconciledRead(ports, async (sql): Promise<Readable> => {
    const located = await locateByName(sql, owner, name, userId);
    if (!located || !atLeast(await accountPermissionIn(sql, userId, located.id), 'read')) {
      return { repository: undefined, networkId: undefined };
    }
    const repository = (await repositoriesById(sql, [located.id])).get(located.id);
    return { repository, networkId: located.networkId };
  });
}

async function commitOf(
  git: GitRepository,
  revision: string | undefined,
  defaultBranch: string,
): Promise<ObjectId | undefined> {
  if (revision !== undefined) return git.resolveCommit(revision);
  const branch = parseBranchName(defaultBranch);
  return branch && git.readRef(branchRef(branch));
}

async function folder(
  git: GitRepository,
  id: ObjectId,
  { filesMax, bytesMax }: CodeQuery,
): Promise<CodeResult> {
  // Folders are listed, too.
  const tree = await git.readTree(id, { recursive: true, entriesMax: 2 * filesMax });
  if (!tree) return { kind: 'no-path' };
  const entries = tree.entries.filter(({ type }) => type !== 'tree');
  const bytes = entries.reduce((sum, { size }) => sum + (size ?? 0), 0);
  const isTooLarge =
    tree.truncated ||
    entries.length > filesMax ||
    bytes > bytesMax ||
    entries.some(({ path }) => Buffer.byteLength(path) > pathBytesMax);
  if (isTooLarge) return { kind: 'too-large' };
  return { kind: 'folder', files: entries.map((entry) => fileOf(git, entry)) };
}

/** Path of a file of a repository as code: longer than any path of a file system here, and within what an archive can have. */
const pathBytesMax = 4096;

/** File of a repository that is put into an archive whole; larger ones are streamed. */
const wholeBytesMax = 1024 * 1024;

function fileOf(git: GitRepository, entry: TreeEntry): CodeFile {
  const { path, id, size } = entry;
  return {
    path,
    kind: kindOf(entry),
    async read() {
      if (entry.type === 'commit') return new Uint8Array();
      if ((size ?? 0) > wholeBytesMax) return streamed(git, id);
      const content = await git.readBlob(id);
      if (!content) throw new GitError('missing-object', `There is no blob ${id}.`);
      return content;
    },
  };
}

function kindOf({ mode, type }: TreeEntry): CodeFile['kind'] {
  if (type === 'commit') return 'folder';
  if (mode === '120000') return 'link';
  return mode === '100755' ? 'executable' : 'file';
}
