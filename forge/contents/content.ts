import type { ObjectId } from '../git/names.ts';

/** What is at a path of a commit. */
export type Content =
  | { readonly kind: 'directory'; readonly path: string; readonly entries: readonly ContentEntry[] }
  | ({ readonly kind: 'file' } & FoundContent)
  /** A link whose target is no file of the repository; links to files are followed. */
  | ({ readonly kind: 'symlink'; readonly target: string } & FoundContent)
  | ({ readonly kind: 'submodule'; readonly gitUrl: string | null } & FoundContent);

/** Everything but the bytes. */
export interface FoundContent {
  readonly path: string;
  readonly id: ObjectId;
  readonly size: number;
}

export interface ContentEntry extends FoundContent {
  readonly kind: 'directory' | 'file' | 'symlink' | 'submodule';
}

/** What a mode of git means. */
export function kindOfMode(mode: string): ContentEntry['kind'] {
  switch (mode) {
    case '040000':
      return 'directory';
    case '120000':
      return 'symlink';
    case '160000':
      return 'submodule';
    default:
      return 'file';
  }
}
