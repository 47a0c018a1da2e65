/** What Git sums up of many commits. */

import type { ObjectId } from './names.ts';

/** How many commits one tip has that another lacks, both ways. */
export interface Divergence {
  readonly ahead: number;
  readonly behind: number;
}

/** Names of branches or tags: of many the first, and how many there are. */
export interface RefNames {
  readonly names: readonly string[];
  readonly count: number;
}

export interface RefsSearch {
  readonly commit: ObjectId;
  /** Answers are held for a version of the refs, which changes when they move. */
  readonly refsVersion: number;
  /** A quarter of a second, or five. */
  readonly effort: 'quick' | 'thorough';
}

/** The branches, that of HEAD first, and tags whose history has a commit. */
export interface ContainingRefs {
  readonly branches: RefNames;
  readonly tags: RefNames;
  /** There are even more than counted. */
  readonly cut: boolean;
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

/**
 * Commits of a history whose changed lines are counted; of longer ones they are not, as on GitHub: each commit takes a diff.
 */
export const commitsWithLinesMax = 10_000;

/** What the commits of a day (days since the epoch, UTC) changed. */
export interface DayOfCommits {
  readonly day: number;
  readonly commits: number;
  readonly additions: number;
  readonly deletions: number;
}

/** What a history is made of, without merges, by the dates of its authors. */
export interface HistoryStatistics {
  /** All commits, merges included. */
  readonly commits: number;
  readonly days: readonly DayOfCommits[];
  /** By address, the author with the most commits first; of very many, the first ones. */
  readonly authors: readonly { readonly email: string; readonly days: readonly DayOfCommits[] }[];
  /** Commits by hour of the week, the first on Sunday, in the time zones of the commits. */
  readonly hours: readonly number[];
}
