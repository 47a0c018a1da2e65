/** What Git sums up of many commits. */

import type { ObjectId } from './names.ts';

/** How many commits one tip has that another lacks, both ways. */
export interface Divergence {
  readonly ahead: number;
  readonly behind: number;
}

export interface LastCommit {
  readonly id: ObjectId;
  /** The first line of its message, or of a long one the beginning. */
  readonly title: string;
  /** When it was written, in seconds since the epoch. */
  readonly seconds: number;
}

/** An author of commits, by name and address. */
export interface Contributor {
  readonly name: string;
  readonly email: string;
  readonly commits: number;
}
