import type { ObjectId } from './names.ts';

export interface DiffOptions {
  /** Return at most so many files. */
  readonly filesMax: number;
  /** false: no patch text is made. */
  readonly patches: boolean;
  /** Lines that differ in spaces alone are the same; files without others are left out. */
  readonly ignoreWhitespace?: boolean;
  /** A file's patch longer than this is left out. */
  readonly patchBytesMax?: number;
  /** Patches after this sum are left out. */
  readonly totalBytesMax?: number;
}

export interface FileChange {
  /** `changed`: only the type or mode changed. */
  readonly status: 'added' | 'removed' | 'modified' | 'renamed' | 'copied' | 'changed';
  readonly path: string;
  readonly previousPath: string | undefined;
  /** The blob (or submodule commit) after the change; before it for removed files. */
  readonly id: ObjectId;
  readonly mode: string;
  readonly additions: number;
  readonly deletions: number;
  readonly binary: boolean;
  /** From the first `@@`, no final newline; undefined if binary, unchanged or oversized. */
  readonly patch: string | undefined;
}

export interface DiffStat {
  readonly files: number;
  readonly additions: number;
  readonly deletions: number;
}
