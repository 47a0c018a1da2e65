import { filePatchBytesMax } from '../commits/file-json.ts';
import { type FieldError, invalid } from '../errors/api-error.ts';
import type { FileChange } from '../git/file-change.ts';
import type { GitRepository } from '../git/git.ts';
import type { ObjectId } from '../git/names.ts';
import type { Pull } from '../model/pull.ts';
import { type DiffLine, diffLines, hunkDownTo, lineAt, sideOf } from '../model/diff-lines.ts';
import type { DiffPositionInput } from './diff-position-input.ts';
import { type DiffPosition, resource } from '../model/review-comment.ts';

/** The diff between the merge base and a commit of a pull, which its comments refer to. */
export interface CommentableDiff {
  readonly commitSha: ObjectId;
  readonly mergeBaseSha: ObjectId | null;
  readonly files: readonly FileChange[];
}

/** Files of a pull that can be commented on. */
export const commentableFilesMax = 3000;

export async function commentableDiff(
  git: GitRepository,
  pull: Pull,
  commitSha: ObjectId,
): Promise<CommentableDiff> {
  const mergeBaseSha = (await git.mergeBase(pull.base.sha, commitSha)) ?? null;
  const options = {
    filesMax: commentableFilesMax,
    patches: true,
    patchBytesMax: filePatchBytesMax,
  };
  const files = await git.diffFiles(mergeBaseSha ?? undefined, commitSha, options);
  return { commitSha, mergeBaseSha, files };
}

/** The position in the diff that a request names, or a refusal if the line is not part of the diff. */
export function validatePosition(
  diff: CommentableDiff,
  path: string,
  input: DiffPositionInput,
): DiffPosition {
  const file = diff.files.find((each) => each.path === path);
  if (!file) return invalid({ ...fault('path', 'is not part of the diff'), value: path });
  const patch = file.patch ?? invalid({ ...fault('path', 'has no diff to show'), value: path });
  const lines = diffLines(patch);
  const { at, start } = linesOf(lines, input);
  const own = input.kind === 'lines' ? { side: input.side, line: input.line } : sideOf(at);
  return {
    path,
    leftPath: file.previousPath ?? path,
    commitSha: diff.commitSha,
    mergeBaseSha: diff.mergeBaseSha,
    ...own,
    start,
    position: at.position,
    diffHunk: hunkDownTo(patch, at.position).replaceAll('\0', '\uFFFD'),
  };
}

function linesOf(
  lines: readonly DiffLine[],
  input: DiffPositionInput,
): { at: DiffLine; start: DiffPosition['start'] } {
  if (input.kind === 'position') {
    const at = lines.find((line) => line.position === input.position);
    return { at: at ?? invalid(fault('position', 'must be part of the diff')), start: null };
  }
  const at =
    lineAt(lines, input.side, input.line) ?? invalid(fault('line', 'must be part of the diff'));
  if (!input.start) return { at, start: null };
  const first =
    lineAt(lines, input.start.side, input.start.line) ??
    invalid(fault('start_line', 'must be part of the diff'));
  if (first.position >= at.position) invalid(fault('start_line', 'must precede the end line.'));
  if (first.hunk !== at.hunk) {
    invalid(fault('start_line', 'must be part of the same hunk as the line.'));
  }
  return { at, start: input.start };
}

function fault(member: string, sentence: string): FieldError {
  const field = `pull_request_review_thread.${member}`;
  return { resource, field, code: 'custom', message: `${field} ${sentence}` };
}
