import { notFound } from '../errors/api-error.ts';
import type { FileChange } from '../git/file-change.ts';
import type { Commit, GitRepository } from '../git/git.ts';
import type { ObjectId } from '../git/names.ts';
import type { Ports } from '../ports/ports.ts';
import { unlessDeleted } from '../repositories/get-repository.ts';
import type { ComparisonSide } from './comparison-side.ts';
import { filePatchBytesMax, patchBytesMax } from './file-json.ts';
import { getCommit } from './resolve-revision.ts';

/** The comparison of a head with a base from their merge base. */
export interface Comparison {
  readonly base: Commit;
  readonly mergeBase: Commit;
  readonly status: ComparisonStatus;
  readonly aheadBy: number;
  readonly behindBy: number;
  /** One page of what the head has and the base lacks, oldest first. */
  readonly commits: readonly Commit[];
  readonly files: readonly FileChange[];
}

export type ComparisonStatus = 'ahead' | 'behind' | 'identical' | 'diverged';

/** Both ends as objects of one repository, with their merge base. */
export interface Ends {
  readonly git: GitRepository;
  readonly base: ObjectId;
  readonly head: ObjectId;
  readonly mergeBase: ObjectId;
}

/** Files of a comparison. */
const filesMax = 300;

/** Fetches both ends into one repository and finds the merge base, or refuses unrelated histories. */
export async function meet(
  { database, git: gits }: Pick<Ports, 'database' | 'git'>,
  base: ComparisonSide,
  head: ComparisonSide,
): Promise<Ends> {
  const git = gits.repository(base.repository.id);
  if (head.repository.id !== base.repository.id) {
    // Readers of the base repository could then read these objects by id, so they may come from public repositories only.
    if (head.repository.private) notFound();
    await unlessDeleted(
      database,
      head.repository.id,
      () => git.fetchObjects(head.repository.id, [head.sha]),
      notFound,
    );
  }
  const mergeBase =
    (await git.mergeBase(base.sha, head.sha)) ??
    notFound('No common ancestor between the two commits.');
  return { git, base: base.sha, head: head.sha, mergeBase };
}

export async function compare(
  { git, base, head, mergeBase }: Ends,
  page: { readonly offset: number; readonly size: number },
): Promise<Comparison> {
  const [aheadBy, behindBy] = await Promise.all([
    git.countCommits(head, [base]),
    git.countCommits(base, [head]),
  ]);
  const commits = await git.log({
    from: head,
    notIn: [base],
    skip: page.offset,
    max: page.size,
    reverse: true,
  });
  // Files belong to the whole comparison: they come with its first page.
  const files =
    page.offset > 0
      ? []
      : await git.diffFiles(mergeBase, head, {
          filesMax,
          patches: true,
          patchBytesMax: filePatchBytesMax,
          totalBytesMax: patchBytesMax,
        });
  return {
    base: await getCommit(git, base),
    mergeBase: await getCommit(git, mergeBase),
    status: comparisonStatus(aheadBy, behindBy),
    aheadBy,
    behindBy,
    commits,
    files,
  };
}

export function comparisonStatus(aheadBy: number, behindBy: number): ComparisonStatus {
  if (aheadBy > 0) return behindBy > 0 ? 'diverged' : 'ahead';
  return behindBy > 0 ? 'behind' : 'identical';
}
