import assert from 'node:assert/strict';

import { findAccount } from '../accounts/account-store.ts';
import type { GitRepository, Signature, TreeChange } from '../git/git.ts';
import {
  branchRef,
  noObject,
  type ObjectId,
  parseBranchName,
  parseObjectId,
  parseTreePath,
} from '../git/names.ts';
import { changeRefs } from '../ref-updates/change-refs.ts';
import { repositoryByName } from '../repositories/repository-store.ts';
import type { TestForge } from './test-forge.ts';

/** Path to content; null deletes the path. */
export type FileContents = Readonly<Record<string, string | Buffer | null>>;

export interface CommitOptions {
  /** The branch's tip by default, or nothing where the branch is new; files come from the first parent. */
  readonly parents?: readonly string[];
  readonly message?: string;
  readonly author?: { readonly name: string; readonly email: string };
}

/**
 * Commits files, makes or moves the branch to the commit and returns its id. Pulls follow as they do after a push.
 */
export async function commitFiles(
  forge: TestForge,
  fullName: string,
  branch: string,
  files: FileContents,
  options: CommitOptions = {},
): Promise<ObjectId> {
  const id = await repositoryId(forge, fullName);
  const git = forge.git.repository(id);
  const name = parseBranchName(branch);
  assert.ok(name, `${branch} is not a branch name`);
  const tip = await git.readRef(branchRef(name));
  const parents = options.parents?.map(expectId) ?? (tip ? [tip] : []);
  const author = signature(
    options.author ?? { name: 'Author', email: 'author@example.test' },
    forge,
  );
  const commit = await git.writeCommit({
    tree: await writeFiles(git, parents[0], files),
    parents,
    author,
    committer: author,
    message: options.message ?? `Change ${Object.keys(files).join(', ')}`,
  });
  const update = { ref: branchRef(name), old: tip ?? noObject, new: commit };
  const change = { repositoryId: id, refs: [update], now: forge.clock.now() };
  const updated = await changeRefs(forge.ports, change);
  assert.equal(updated.kind, 'updated');
  return commit;
}

/** The database id of a repository by its full name. */
export async function repositoryId(forge: TestForge, fullName: string): Promise<number> {
  const [owner = '', name = ''] = fullName.split('/');
  const repository = await forge.database.read(async (sql) => {
    const account = await findAccount(sql, owner);
    return account && repositoryByName(sql, account.id, name);
  });
  assert.ok(repository, `there is no repository ${fullName}`);
  return repository.id;
}

async function writeFiles(
  git: GitRepository,
  parent: ObjectId | undefined,
  files: FileContents,
): Promise<ObjectId> {
  const changes: TreeChange[] = [];
  // Thousands of equal files are one blob.
  const written = new Map<string | Buffer, ObjectId>();
  for (const [text, content] of Object.entries(files)) {
    const path = parseTreePath(text);
    assert.ok(path, `${text} is not a path`);
    const id =
      content === null
        ? null
        : (written.get(content) ?? (await git.writeBlob(Buffer.from(content))));
    if (content !== null && id) written.set(content, id);
    changes.push({ path, mode: '100644', id });
  }
  const base = parent && (await git.readCommit(parent))?.tree;
  const tree = await git.writeTree(base, changes);
  assert.ok(tree.kind === 'written', `the tree could not be written: ${JSON.stringify(tree)}`);
  return tree.id;
}

function expectId(text: string): ObjectId {
  const id = parseObjectId(text);
  assert.ok(id, `${text} is not a commit id`);
  return id;
}

function signature(who: { name: string; email: string }, forge: TestForge): Signature {
  return { ...who, seconds: Math.floor(forge.clock.now() / 1000), offsetMinutes: 0 };
}
