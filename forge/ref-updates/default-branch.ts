import type { RepositoryWrite } from '../events/invalidate.ts';
import { RefusalError, refuse } from '../errors/api-error.ts';
import { type BranchName, branchOf, branchRef, noObject, parseBranchName } from '../git/names.ts';
import type { RefMove } from '../git/ref-update.ts';
import type { Ports } from '../ports/ports.ts';
import { repositoriesById, setDefaultBranch } from '../repositories/repository-store.ts';
import { type BranchRename, isBeingDeleted } from './intent-store.ts';
import { refsVersions } from './refs-version-store.ts';
import { writeWithRefs } from './write-with-refs.ts';

export interface DefaultBranchChoice {
  /**
   * The branch to choose, or undefined: it stays as it is. It exists, or the push of an import that follows creates it. Refuses
   * by throwing, and may be called again.
   */
  readonly find: () => Promise<BranchName | undefined>;
  /** Writes the row. */
  readonly write: (sql: RepositoryWrite, branch: BranchName | undefined) => Promise<void>;
}

/**
 * Chooses the default branch. `HEAD` is set before the row changes: the branch that a clone checks out must exist before the API shows it. A
 * branch that was found is still there when the row changes: a deletion that has ended since raised the version, one under way has an intent,
 * and a later one is refused (protection-checks.ts).
 */
export async function chooseDefaultBranch(
  ports: Ports,
  repositoryId: number,
  { find, write }: DefaultBranchChoice,
): Promise<void> {
  let isHeadSet = false;
  try {
    await writeWithHead(ports, repositoryId, {
      find,
      onHead: () => (isHeadSet = true),
      async write(sql, branch) {
        if (branch !== undefined) await refuseBeingDeleted(sql, repositoryId, branch);
        await write(sql, branch);
      },
    });
  } catch (error) {
    if (isHeadSet) {
      await restoreHead(ports, repositoryId).catch((err: unknown) =>
        ports.log.error({ err, repositoryId }, 'HEAD was not set back to the default branch'),
      );
    }
    throw error;
  }
}

/** Nothing was changed, so clones get the branch that the API shows. */
async function restoreHead(ports: Ports, repositoryId: number): Promise<void> {
  await writeWithHead(ports, repositoryId, {
    find: () => defaultBranchOf(ports, repositoryId),
    write: async () => {},
  });
}

/** Sets `HEAD`, then writes. Of several at once, the last to write has set `HEAD` last: the others begin anew. */
async function writeWithHead(
  ports: Ports,
  repositoryId: number,
  { find, write, onHead }: DefaultBranchChoice & { readonly onHead?: () => void },
): Promise<void> {
  await writeWithRefs(ports, {
    repositoryId,
    versions: (sql) => refsVersions(sql, [repositoryId]),
    plan: find,
    async moveInternalRefs(branch) {
      if (branch === undefined) return true;
      onHead?.();
      await ports.git.repository(repositoryId).setHead(branch);
      return true;
    },
    write,
  });
}

async function refuseBeingDeleted(
  sql: RepositoryWrite,
  repositoryId: number,
  branch: BranchName,
): Promise<void> {
  if (!(await isBeingDeleted(sql, repositoryId, branchRef(branch)))) return;
  refuse({ kind: 'conflict', message: `The branch ${branch} is being deleted. Try again.` });
}

/**
 * The first branch of an empty repository becomes the default branch if the configured one does not exist, so that a clone
 * can check out files.
 */
export async function adoptFirstBranch(
  ports: Ports,
  repositoryId: number,
  moves: readonly RefMove[],
): Promise<void> {
  const created = moves.flatMap(({ old, ref }) => (old === noObject ? (branchOf(ref) ?? []) : []));
  const name = created.find((each) => /(?:^|\/)(?:main|master)$/.test(each)) ?? created[0];
  const first = parseBranchName(name ?? '');
  if (!first) return;
  const git = ports.git.repository(repositoryId);
  const find = async (): Promise<BranchName | undefined> => {
    const current = await defaultBranchOf(ports, repositoryId);
    if (!current || (await git.readRef(branchRef(current)))) return undefined;
    return (await git.readRef(branchRef(first))) && first;
  };
  if (!(await find())) return;
  try {
    await chooseDefaultBranch(ports, repositoryId, {
      find,
      async write(sql, branch) {
        if (branch !== undefined) await setDefaultBranch(sql, repositoryId, branch);
      },
    });
  } catch (error) {
    const isDeleted = error instanceof RefusalError && error.refusal.kind === 'conflict';
    if (!isDeleted) throw error;
  }
}

/** Sets `HEAD` before the rows follow a renaming, to what the default branch will be then. */
export async function moveHeadWithRename(
  ports: Pick<Ports, 'database' | 'git'>,
  repositoryId: number,
  { from, to }: BranchRename,
): Promise<void> {
  const current = await defaultBranchOf(ports, repositoryId);
  const next = current === from ? to : current;
  if (next) await ports.git.repository(repositoryId).setHead(next);
}

async function defaultBranchOf(
  { database }: Pick<Ports, 'database'>,
  repositoryId: number,
): Promise<BranchName | undefined> {
  const found = await database.read((sql) => repositoriesById(sql, [repositoryId]));
  return parseBranchName(found.get(repositoryId)?.defaultBranch ?? '');
}
