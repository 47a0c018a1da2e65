import { isEmpty } from '../commits/resolve-revision.ts';
import { notFound, refuse } from '../errors/api-error.ts';
import type { GitRepository, TreeChange } from '../git/git.ts';
import {
  branchRef,
  type BranchName,
  noObject,
  type ObjectId,
  parseTreePath,
  type TreePath,
} from '../git/names.ts';
import type { UserCaller } from '../model/caller.ts';
import type { Repository } from '../model/repository.ts';
import type { Ports } from '../ports/ports.ts';
import { moveRef } from '../ref-updates/move-ref.ts';
import { refuseFileAbove } from './check-expectation.ts';
import { signAs, signAsServer, type SigningTime } from '../repositories/commit-people.ts';

export interface FileAddition {
  readonly path: string;
  readonly content: Buffer;
}

export interface CommitOnBranchInput {
  readonly repository: Repository;
  readonly caller: UserCaller;
  readonly branch: BranchName;
  /** What the client has seen; any other head is refused. Undefined: no branch, as in an empty repository, which gets its first one. */
  readonly expectedHead: ObjectId | undefined;
  readonly message: string;
  readonly additions: readonly FileAddition[];
  readonly deletions: readonly string[];
  readonly signingTime: SigningTime;
}

/** Files that `createCommitOnBranch` changes. */
const changesMax = 1000;

/** Commits changes of files to a branch, all or none, if the branch is where the client expects it. */
export async function commitOnBranch(ports: Ports, input: CommitOnBranchInput): Promise<ObjectId> {
  const { repository, branch, expectedHead } = input;
  const git = ports.git.repository(repository.id);
  const ref = branchRef(branch);
  const tip = await git.readRef(ref);
  if (tip === undefined && (expectedHead !== undefined || !(await isEmpty(git, repository)))) {
    return notFound(`No ref found for ${branch}`);
  }
  if (tip !== expectedHead) return refuseStale(expectedHead);
  const tree = await treeAfter(git, tip, input);
  const { caller, message, signingTime } = input;
  const commit = await git.writeCommit({
    tree,
    parents: tip ? [tip] : [],
    author: signAs(caller.account, signingTime),
    committer: signAsServer(signingTime),
    message,
  });
  const { now } = signingTime;
  const move = { repositoryId: repository.id, caller, ref, old: tip ?? noObject, new: commit, now };
  const moved = await moveRef(ports, move);
  return moved.kind === 'updated' ? commit : refuseStale(expectedHead);
}

/** The tree with all changes. Files stay executable. What is not deleted by its own path stays: no file replaces a folder. */
async function treeAfter(
  git: GitRepository,
  tip: ObjectId | undefined,
  { additions, deletions }: CommitOnBranchInput,
): Promise<ObjectId> {
  if (additions.length + deletions.length > changesMax) {
    return unprocessable(`A commit can change up to ${changesMax} files in one request.`);
  }
  const paths = new Set<TreePath>();
  const parsed = (text: string): TreePath => {
    const path = parseTreePath(text) ?? unprocessable(`${JSON.stringify(text)} is not a path.`);
    if (paths.has(path)) unprocessable(`The path ${path} is changed more than once.`);
    paths.add(path);
    return path;
  };
  const added = additions.map(({ path, content }) => ({ path: parsed(path), content }));
  const removed = deletions.map(
    (path) => ({ path: parsed(path), mode: '100644', id: null }) as const,
  );
  refuseNested(added.map(({ path }) => path));
  const left = removed.length === 0 ? tip : await writtenTree(git, tip, removed);
  const changes: TreeChange[] = [];
  for (const { path, content } of added) {
    const there = left && (await git.findPath(left, path));
    if (there && there.type !== 'blob') unprocessable(`${path} is a directory.`);
    if (left && !there) await refuseFileAbove(git, left, path);
    const before = tip && (await git.findPath(tip, path));
    const mode = before?.mode === '100755' ? '100755' : '100644';
    changes.push({ path, mode, id: await git.writeBlob(content) });
  }
  return writtenTree(git, left, changes);
}

async function writtenTree(
  git: GitRepository,
  base: ObjectId | undefined,
  changes: readonly TreeChange[],
): Promise<ObjectId> {
  const written = await git.writeTree(base, changes);
  if (written.kind === 'written') return written.id;
  return unprocessable(
    `A path was requested for deletion which does not exist in tree at the parent commit oid: ${written.path}`,
  );
}

/** Of two additions, one would be in a folder at the path of the other. */
function refuseNested(added: readonly TreePath[]): void {
  const all = new Set<string>(added);
  for (const path of added) {
    for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1)) {
      const above = path.slice(0, end);
      if (all.has(above)) unprocessable(`Cannot create ${path}: ${above} is not a directory.`);
    }
  }
}

function refuseStale(expectedHead = 'nothing'): never {
  return unprocessable(
    `Expected branch to point to "${expectedHead}" but it did not. Pull and try again.`,
  );
}

function unprocessable(message: string): never {
  return refuse({ kind: 'unprocessable', message });
}
