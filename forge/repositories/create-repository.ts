import { uniqueViolation } from '#platform/database/constraint-violation.ts';
import type { Sql } from '#platform/database/database.ts';

import { memberRole } from '../accounts/account-store.ts';
import { invalid, refuse } from '../errors/api-error.ts';
import { emitEvent } from '../events/event-outbox-store.ts';
import { createNetwork, type RepositoryWrite, writeRepository } from '../events/invalidate.ts';
import type { Git, Signature, TreeChange } from '../git/git.ts';
import {
  type BranchName,
  branchRef,
  noObject,
  type ObjectId,
  parseTreePath,
} from '../git/names.ts';
import { defaultShard } from '../git/process/sharded-git.ts';
import type { RefUpdate } from '../git/ref-update.ts';
import { copyObjects } from '../large-files/copy-objects.ts';
import type { Account } from '../model/account.ts';
import type { Repository, RepositoryUpdate } from '../model/repository.ts';
import type { Ports } from '../ports/ports.ts';
import { putCollaborator } from './collaborator-store.ts';
import { abandonRepository, removeIfAnswerWasLost } from './delete-repository.ts';
import { insertRepository, markReady } from './repository-life-store.ts';
import { nameTaken } from './repository-name.ts';
import { markPushed, repositoriesById } from './repository-store.ts';

/** A file of the first commit, at the root. */
export interface FirstFile {
  readonly path: string;
  readonly text: string;
}

export interface TemplateCode {
  readonly repositoryId: number;
  readonly branches: readonly { readonly name: BranchName; readonly tree: ObjectId }[];
  readonly signature: Signature;
}

export interface NewRepository {
  readonly owner: Account;
  /** Becomes an administrator, also in a repository of an organization. */
  readonly creator: Account;
  readonly name: string;
  readonly description: string | null;
  readonly homepage: string | null;
  readonly private: boolean;
  readonly defaultBranch: BranchName;
  readonly settings: RepositoryUpdate;
  readonly firstCommit:
    | { readonly files: readonly FirstFile[]; readonly signature: Signature }
    | undefined;
  /** Instead of first files: what the branches of a template have, one commit each. */
  readonly template?: TemplateCode;
  readonly now: number;
}

/**
 * Creates a repository in both stores: the row first (it reserves the name), then git, then the row becomes visible.
 * A crash between them leaves a row in `creating`, which the next start removes (docs/reliability.md, C18 and C19).
 */
export async function createRepository(
  ports: Pick<Ports, 'background' | 'clock' | 'database' | 'git' | 'serverId' | 'shardForNetwork'>,
  input: NewRepository,
): Promise<Repository> {
  const id = await reserve(ports, input);
  try {
    await ports.git.create(id, input.defaultBranch);
    if (input.firstCommit)
      await writeFirstCommit(ports.git, id, input.defaultBranch, input.firstCommit);
    if (input.template) await copyTemplate(ports, id, input.template);
    return await publish(ports, id, input);
  } catch (error) {
    return abandonRepository(ports, id, error);
  }
}

function publish(
  { database }: Pick<Ports, 'database'>,
  id: number,
  input: NewRepository,
): Promise<Repository> {
  return writeRepository(database, id, async (sql) => {
    if (input.firstCommit ?? input.template) await markPushed(sql, id, input.now);
    await markReady(sql, id);
    const created = { event: 'repository', action: 'created', actorId: input.creator.id } as const;
    await emitEvent(sql, id, created, input.now);
    const repository = (await repositoriesById(sql, [id])).get(id);
    if (!repository) throw new Error(`repository ${id} vanished while it was made`);
    return repository;
  });
}

/**
 * Without this, a member who creates a repository in an organization could only read it. Part of the transaction that inserts it: a membership
 * that ends while git is at work takes the grant along.
 */
export async function grantAdmin(
  sql: RepositoryWrite,
  repositoryId: number,
  created: { owner: Account; creator: Account; now: number },
): Promise<void> {
  const { owner, creator, now } = created;
  if (owner.id === creator.id) return;
  if ((await memberRole(sql, owner.id, creator.id)) === 'admin') return;
  await putCollaborator(sql, { repositoryId, accountId: creator.id, permission: 'admin', now });
}

async function reserve(
  ports: Pick<Ports, 'background' | 'database' | 'git' | 'serverId' | 'shardForNetwork'>,
  input: NewRepository,
): Promise<number> {
  const { database, serverId } = ports;
  let id: number | undefined;
  try {
    return await database.write(async (sql) => {
      await requireMayCreateIn(sql, input.creator, input.owner);
      const { id: networkId, write } = await createNetwork(
        sql,
        // Objects pass between repositories of one shard only.
        input.template
          ? { sameAsRepository: input.template.repositoryId }
          : { shardId: ports.shardForNetwork?.() ?? defaultShard },
      );
      id = await insertRepository(write, {
        ...input,
        ownerId: input.owner.id,
        networkId,
        serverId,
        templateId: input.template?.repositoryId,
      });
      await grantAdmin(write, id, input);
      return id;
    });
  } catch (error) {
    removeIfAnswerWasLost(ports, id, error);
    if (!uniqueViolation(error)) throw error;
    return invalid(nameTaken);
  }
}

async function writeFirstCommit(
  git: Git,
  repositoryId: number,
  defaultBranch: BranchName,
  { files, signature }: NonNullable<NewRepository['firstCommit']>,
): Promise<void> {
  const repository = git.repository(repositoryId);
  const changes: TreeChange[] = [];
  for (const { path, text } of files) {
    const treePath = parseTreePath(path);
    if (!treePath) throw new Error(`${path} is no path of a file`);
    const id = await repository.writeBlob(Buffer.from(text));
    changes.push({ path: treePath, mode: '100644', id });
  }
  const tree = await repository.writeTree(undefined, changes);
  if (tree.kind !== 'written') throw new Error('a tree of new blobs could not be written');
  const commit = await repository.writeCommit({
    tree: tree.id,
    parents: [],
    author: signature,
    committer: signature,
    message: 'Initial commit',
  });
  await repository.updateRefs([{ ref: branchRef(defaultBranch), old: noObject, new: commit }]);
}

/** Copies trees only: the history of a template is not for those who may read the new repository. */
async function copyTemplate(
  ports: Pick<Ports, 'clock' | 'database' | 'git'>,
  repositoryId: number,
  { repositoryId: templateId, branches, signature }: TemplateCode,
): Promise<void> {
  const git = ports.git.repository(repositoryId);
  const trees = branches.map(({ tree }) => tree);
  await git.fetchObjects(templateId, [...new Set(trees)]);
  const people = { author: signature, committer: signature };
  const updates: RefUpdate[] = [];
  // Branches with the same files have the same commit.
  const commits = new Map<ObjectId, ObjectId>();
  for (const { name, tree } of branches) {
    const commit =
      commits.get(tree) ??
      (await git.writeCommit({ tree, parents: [], ...people, message: 'Initial commit' }));
    commits.set(tree, commit);
    updates.push({ ref: branchRef(name), old: noObject, new: commit });
  }
  await git.updateRefs(updates);
  await copyObjects(ports, templateId, repositoryId);
}

/** Refuses a user who may not create repositories in an account: only the user itself and members of an organization may. */
export async function requireMayCreateIn(sql: Sql, user: Account, owner: Account): Promise<void> {
  if (user.id === owner.id) return;
  const role = owner.kind === 'organization' ? await memberRole(sql, owner.id, user.id) : undefined;
  if (role !== undefined) return;
  refuse({
    kind: 'forbidden',
    message: 'You need admin access to the organization before adding a repository to it.',
  });
}
