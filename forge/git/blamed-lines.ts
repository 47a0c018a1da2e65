import type { ObjectId, TreePath } from './names.ts';

/** Lines that follow one another and are from the same commit. */
export interface BlamedLines {
  /** The first of them; the first of a file is 1. */
  readonly from: number;
  readonly count: number;
  readonly commit: ObjectId;
  readonly author: string;
  /** When the author wrote it, in seconds since the epoch. */
  readonly seconds: number;
  /** The first line of the commit's message. */
  readonly title: string;
  /** The file before that commit; undefined where the commit added it. */
  readonly previous: { readonly commit: ObjectId; readonly path: TreePath } | undefined;
}
