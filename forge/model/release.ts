/** What a repository publishes of a tag. */
export interface Release {
  readonly id: number;
  readonly repositoryId: number;
  readonly authorId: number;
  readonly tagName: string;
  /** The branch or commit of which the tag was created, as it was given. */
  readonly targetCommitish: string;
  readonly name: string | null;
  readonly body: string | null;
  /** Only those who can push see it, and its tag need not exist. */
  readonly draft: boolean;
  readonly prerelease: boolean;
  /** When it became the latest release; null for one that was not made so. */
  readonly latestAt: number | null;
  /** Milliseconds since the epoch: of the tag's commit; of the draft, while it is one. */
  readonly createdAt: number;
  readonly publishedAt: number | null;
  readonly updatedAt: number;
}

/** A file of a release. */
export interface ReleaseAsset {
  readonly id: number;
  readonly releaseId: number;
  readonly uploaderId: number;
  readonly name: string;
  readonly label: string | null;
  readonly contentType: string;
  /** Bytes. */
  readonly size: number;
  readonly sha256: string;
  /** The name of its file in the data directory. */
  readonly file: string;
  readonly downloadCount: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Whether a release becomes the latest one; `legacy`: if no other one is of a later commit. */
export type MakeLatest = 'true' | 'false' | 'legacy';
