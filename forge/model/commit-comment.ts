import type { ObjectId } from '../git/names.ts';

/** A comment on a commit, or on a file of it. */
export interface CommitComment {
  readonly id: number;
  readonly repositoryId: number;
  readonly authorId: number;
  readonly sha: ObjectId;
  readonly body: string;
  readonly path: string | null;
  /** The number of the line in the diff, and in the file; as the author gave them. */
  readonly position: number | null;
  readonly line: number | null;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
}
