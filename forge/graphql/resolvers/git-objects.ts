import { GitError } from '../../git/git-error.ts';
import type { GitRepository } from '../../git/git.ts';
import {
  branchRef,
  type ObjectId,
  parseBranchName,
  parseObjectId,
  parseRefName,
  parseTreePath,
  type RefName,
} from '../../git/names.ts';
import { notFoundIfDeleted } from '../../repositories/get-repository.ts';
import type { GraphqlContext } from './context.ts';
import type { CommitSource, ObjectSource, RefSource, RepositorySource } from './sources.ts';

/** Runs git in a repository, which may be deleted meanwhile. */
export function inGit<T>(
  { repository }: RepositorySource,
  { ports, inSlot }: GraphqlContext,
  work: (git: GitRepository) => Promise<T>,
): Promise<T> {
  return inSlot(() =>
    notFoundIfDeleted(ports.database, repository.id, () =>
      work(ports.git.repository(repository.id)),
    ),
  );
}

/** A branch or a tag by its full name. */
export async function findRefSource(
  at: RepositorySource,
  name: RefName,
  context: GraphqlContext,
): Promise<RefSource | null> {
  return inGit(at, context, async (git) => {
    const id = await git.readRef(name);
    const info = id && (await git.objectInfo(id));
    return id && info ? { typeName: 'Ref', at, name, id, type: info.type } : null;
  });
}

/** `ref(qualifiedName:)`: a full name, or the name of a branch or else of a tag. */
export async function findRef(
  at: RepositorySource,
  name: string,
  context: GraphqlContext,
): Promise<RefSource | null> {
  const branch = parseBranchName(name);
  const candidates = [
    parseRefName(name),
    parseRefName(`refs/${name}`),
    branch && branchRef(branch),
    parseRefName(`refs/tags/${name}`),
  ];
  for (const candidate of candidates) {
    if (!candidate || !isShown(candidate)) continue;
    const found = await findRefSource(at, candidate, context);
    if (found) return found;
  }
  return null;
}

/** Other refs belong to the server. */
export function isShown(name: string): boolean {
  return name.startsWith('refs/heads/') || name.startsWith('refs/tags/');
}

export async function findCommitSource(
  at: RepositorySource,
  id: ObjectId,
  context: GraphqlContext,
): Promise<CommitSource | null> {
  const commit = await inGit(at, context, (git) => git.readCommit(id));
  return commit ? { typeName: 'Commit', at, commit } : null;
}

const objectTypes = { tag: 'Tag', tree: 'Tree', blob: 'Blob' } as const;

/** An object by its id. */
export async function findObjectSource(
  at: RepositorySource,
  id: ObjectId,
  context: GraphqlContext,
): Promise<CommitSource | ObjectSource | null> {
  const info = await inGit(at, context, (git) => git.objectInfo(id));
  if (!info) return null;
  if (info.type === 'commit') return findCommitSource(at, id, context);
  return { typeName: objectTypes[info.type], at, id, size: info.size };
}

/** `object(expression:)`: a revision, or `revision:path` for what is at a path of it. */
export async function objectNamed(
  at: RepositorySource,
  expression: string,
  context: GraphqlContext,
): Promise<CommitSource | ObjectSource | null> {
  const colon = expression.indexOf(':');
  const revision = colon === -1 ? expression : expression.slice(0, colon);
  const path = colon === -1 ? undefined : expression.slice(colon + 1);
  const id = await inGit(at, context, async (git) => {
    const named = await resolve(git, at, revision);
    if (!named || path === undefined) return named;
    const commit = await git.readCommit(named);
    if (path === '') return commit?.tree;
    const parsed = parseTreePath(path);
    return parsed && (await git.findPath(named, parsed))?.id;
  });
  return id ? findObjectSource(at, id, context) : null;
}

async function resolve(
  git: GitRepository,
  { repository }: RepositorySource,
  revision: string,
): Promise<ObjectId | undefined> {
  const name = revision === 'HEAD' ? repository.defaultBranch : revision;
  const id = parseObjectId(name);
  if (id) return (await git.objectInfo(id)) ? id : undefined;
  try {
    return await git.resolveCommit(name);
  } catch (error) {
    if (error instanceof GitError) return undefined;
    throw error;
  }
}
