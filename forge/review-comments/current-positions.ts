import { patchBytesMax } from '../commits/file-json.ts';
import type { FileChange } from '../git/file-change.ts';
import type { GitRepository } from '../git/git.ts';
import type { ObjectId } from '../git/names.ts';
import type { Pull } from '../model/pull.ts';
import { commentableDiff, type CommentableDiff, commentableFilesMax } from './validate-position.ts';
import { diffLines, lineAt, mapLineNumber } from '../model/diff-lines.ts';
import type { DiffPosition, ReviewComment } from '../model/review-comment.ts';

/** The position of a comment in the current diff. */
export interface CurrentPosition {
  readonly position: number;
  readonly line: number;
  /** null for comments on a single line, and if the first of several lines no longer exists. */
  readonly startLine: number | null;
}

/**
 * The current position of each comment, by id; outdated comments are absent. Positions are computed from git every time and
 * not stored, so that they are never stale: this needs at most three diffs for each commented commit.
 */
export async function currentPositions(
  git: GitRepository,
  comments: readonly ReviewComment[],
  pulls: ReadonlyMap<number, Pull>,
): Promise<Map<number, CurrentPosition>> {
  const positions = new Map<number, CurrentPosition>();
  for (const [pullId, written] of Map.groupBy(comments, (comment) => comment.pullId)) {
    const pull = pulls.get(pullId);
    if (!pull) continue;
    const diff = await commentableDiff(git, pull, pull.head.sha);
    for (const [id, position] of await positionsIn(git, written, diff)) positions.set(id, position);
  }
  return positions;
}

/** The position of each comment of one pull in this diff of its head, by id; outdated comments are absent. */
export async function positionsIn(
  git: GitRepository,
  comments: readonly ReviewComment[],
  diff: CommentableDiff,
): Promise<Map<number, CurrentPosition>> {
  const positions = new Map<number, CurrentPosition>();
  const mapLine = createLineMapper(git, diff);
  for (const { id, position: original } of comments) {
    const present = await presentPosition(original, diff, mapLine);
    if (present) positions.set(id, present);
  }
  return positions;
}

async function presentPosition(
  original: DiffPosition,
  diff: CommentableDiff,
  mapLine: LineMapper,
): Promise<CurrentPosition | undefined> {
  const { position, line, side, start } = original;
  if (original.commitSha === diff.commitSha && original.mergeBaseSha === diff.mergeBaseSha) {
    return { position, line, startLine: start?.line ?? null };
  }
  const moved = await mapLine(original, side);
  const now = moved?.(line);
  const file = moved && diff.files.find((each) => pathOn(side, each) === moved.path);
  const shown = now !== undefined && file?.patch !== undefined;
  const at = shown ? lineAt(diffLines(file.patch), side, now) : undefined;
  if (!at || now === undefined) return undefined;
  const startLine = start ? (await mapLine(original, start.side))?.(start.line) : undefined;
  return { position: at.position, line: now, startLine: startLine ?? null };
}

/** Maps a line number of the commented version of a file to the current line number. */
interface MappedFile {
  (line: number): number | undefined;
  readonly path: string;
}

type LineMapper = (
  original: DiffPosition,
  side: DiffPosition['side'],
) => Promise<MappedFile | undefined>;

/** Compares each pair of commits once, even with many comments. */
function createLineMapper(git: GitRepository, diff: CommentableDiff): LineMapper {
  const compared = new Map<string, Promise<readonly FileChange[] | undefined>>();
  return async (original, side) => {
    const from = side === 'RIGHT' ? original.commitSha : original.mergeBaseSha;
    const to = side === 'RIGHT' ? diff.commitSha : diff.mergeBaseSha;
    if (from === null || to === null) return undefined;
    const key = `${from} ${to}`;
    const changes = compared.get(key) ?? changesBetween(git, from, to);
    compared.set(key, changes);
    const known = await changes;
    return known && mappedFile(known, side === 'RIGHT' ? original.path : original.leftPath);
  };
}

/** undefined if the older commit no longer exists, so that its lines cannot be mapped. */
async function changesBetween(
  git: GitRepository,
  from: ObjectId,
  to: ObjectId,
): Promise<readonly FileChange[] | undefined> {
  if (from === to) return [];
  if (!(await git.readCommit(from))) return undefined;
  return git.diffFiles(from, to, { filesMax: commentableFilesMax, patches: true, patchBytesMax });
}

function mappedFile(changes: readonly FileChange[], path: string): MappedFile | undefined {
  const change = changes.find(
    (each) => (each.previousPath ?? each.path) === path && each.status !== 'copied',
  );
  if (!change) return Object.assign((line: number) => line, { path });
  const { patch, status } = change;
  if (status === 'added' || status === 'removed') return undefined;
  // A file that was only renamed has no patch, and one too large to compare has none either.
  const same = status === 'renamed' && change.additions + change.deletions === 0;
  if (patch === undefined && !same) return undefined;
  const mapped = (line: number): number | undefined =>
    patch === undefined ? line : mapLineNumber(patch, line);
  return Object.assign(mapped, { path: change.path });
}

function pathOn(side: DiffPosition['side'], file: FileChange): string {
  return side === 'LEFT' ? (file.previousPath ?? file.path) : file.path;
}
