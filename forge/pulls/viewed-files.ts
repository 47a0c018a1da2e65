import { notFound } from '../errors/api-error.ts';
import type { FileChange } from '../git/file-change.ts';
import type { GitRepository } from '../git/git.ts';
import type { Pull } from '../model/pull.ts';
import type { Ports } from '../ports/ports.ts';
import { mergeBaseOf } from './pull-diff.ts';
import { deleteViewedFile, putViewedFile, viewedFiles } from './viewed-file-store.ts';

/** The files that an account has viewed as they are now. */
export async function viewedPaths(
  { database }: Pick<Ports, 'database'>,
  accountId: number,
  pullId: number,
  files: readonly FileChange[],
): Promise<ReadonlySet<string>> {
  const viewed = await database.read((sql) => viewedFiles(sql, accountId, pullId));
  return new Set(files.filter(({ path, id }) => viewed.get(path) === id).map(({ path }) => path));
}

/** Marks a file as viewed or not. One that is not among the changes of the pull, or not any more as it was seen, is not found. */
export async function setViewed(
  { database }: Pick<Ports, 'database'>,
  git: GitRepository,
  seen: {
    readonly accountId: number;
    readonly pull: Pull;
    readonly path: string;
    /** What was seen; undefined: the file as it is now. */
    readonly blobId: string | undefined;
    readonly viewed: boolean;
  },
): Promise<void> {
  const { pull, accountId } = seen;
  const files = await git.diffFiles(await mergeBaseOf(git, pull), pull.head.sha, {
    filesMax: Number.MAX_SAFE_INTEGER,
    patches: false,
  });
  const file =
    files.find(({ path, id }) => path === seen.path && id === (seen.blobId ?? id)) ?? notFound();
  const row = { accountId, pullId: pull.id, path: file.path, blobId: file.id };
  await database.write((sql) =>
    seen.viewed ? putViewedFile(sql, row) : deleteViewedFile(sql, row),
  );
}
