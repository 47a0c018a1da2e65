/**
 * The port between the server and the git process. Values of users arrive as validated names (names.ts). Commits are looked up in one
 * repository's own object store, which is the permission boundary. Nothing here knows accounts, pulls or HTTP. What git could not do
 * is thrown as a GitError (git-error.ts); expected refusals are values. In a cluster the two may be nodes of different versions:
 * names and values that cross it do not change, only optional ones are added (process/git-protocol.test.ts).
 */

import type { Readable } from 'node:stream';

import type { ArchiveOptions } from './archive-options.ts';
import type { DiffOptions, DiffStat, FileChange } from './file-change.ts';
import type { BlamedLines } from './blamed-lines.ts';
import type {
  ContainingRefs,
  Contributor,
  Divergence,
  HistoryStatistics,
  LastCommit,
  RefsSearch,
} from './history-summary.ts';
import type { BranchName, ObjectId, RefName, TreePath } from './names.ts';
import type { MayMove, ReceiveOptions, ReceivePack } from './received-push.ts';
import type { RefUpdate, RefUpdateResult } from './ref-update.ts';

export interface Git {
  /** The repository with this database id. Cheap; asks git nothing. */
  repository(id: number): GitRepository;
  /** Makes an empty bare repository whose HEAD names the branch. Idempotent. */
  create(id: number, defaultBranch: BranchName): Promise<void>;
  /** Copies all branches and tags and their objects into a new repository that shares nothing. */
  fork(sourceId: number, id: number, defaultBranch: BranchName): Promise<void>;
  /** Removes a repository from disk. Idempotent. */
  remove(id: number): Promise<void>;
  close(): Promise<void>;
}

export interface GitRepository {
  readonly id: number;

  /** Points HEAD at a branch, which need not exist. */
  setHead(branch: BranchName): Promise<void>;
  /** What it takes on disk. */
  size(): Promise<RepositorySize>;

  /**
   * The object a ref names (tags are not peeled), or undefined. `after-moves`: waits first for the ref updates that the git process has
   * begun, also for callers that are gone; a git process of an earlier version does not wait.
   */
  readRef(ref: RefName, when?: 'after-moves'): Promise<ObjectId | undefined>;
  /** Refs below a prefix (`refs/heads/`), sorted by name; those that only the server knows of are left out. */
  listRefs(prefix: string): Promise<Ref[]>;
  /** Moves refs by compare-and-swap, all or none, durable when it answers. */
  updateRefs(updates: readonly RefUpdate[]): Promise<RefUpdateResult>;

  /** Resolves `x`, `heads/x`, `tags/x`, a full ref or a SHA (7 digits or more) to a commit. */
  resolveCommit(revision: string): Promise<ObjectId | undefined>;
  /** Type and size of an object, or undefined. */
  objectInfo(id: ObjectId): Promise<ObjectInfo | undefined>;
  readCommit(id: ObjectId): Promise<Commit | undefined>;
  readTag(id: ObjectId): Promise<AnnotatedTag | undefined>;
  /** Entries of a tree or of a commit's tree, in git's order; recursively with the trees. */
  readTree(id: ObjectId, options?: TreeOptions): Promise<Tree | undefined>;
  /** The entry at a path of a commit or tree, or undefined. */
  findPath(id: ObjectId, path: TreePath): Promise<TreeEntry | undefined>;
  /** A blob's bytes, or undefined when absent or not a blob. */
  readBlob(id: ObjectId): Promise<Buffer | undefined>;
  /** The same as a stream that git fills as it is read; for those too large to hold in memory. Throws when it is absent. */
  streamBlob(id: ObjectId): Promise<Readable>;
  /** The files of a commit as an archive, filled as it is read. */
  streamArchive(options: ArchiveOptions): Promise<Readable>;
  writeBlob(content: Buffer): Promise<ObjectId>;
  /** Many blobs at once, in their order: together they take little longer than one. */
  writeBlobs(contents: readonly Buffer[]): Promise<readonly ObjectId[]>;
  /** Writes a tree from a base and changes to paths in it, nested or not (`id: null` removes). */
  writeTree(base: ObjectId | undefined, changes: readonly TreeChange[]): Promise<WriteTreeResult>;
  writeCommit(commit: NewCommit): Promise<ObjectId>;
  writeTag(tag: NewTag): Promise<ObjectId>;

  /** Newest first, in git's default order; `reverse`d for lists that want the oldest first. */
  log(options: LogOptions): Promise<Commit[]>;
  /** How many commits `from` has that `notIn` lacks. */
  countCommits(from: ObjectId, notIn: readonly ObjectId[]): Promise<number>;
  /** How far each tip is from a base; undefined for those that take too long, together or alone. */
  divergences(
    base: ObjectId,
    tips: readonly ObjectId[],
  ): Promise<readonly (Divergence | undefined)[]>;
  /** The files of a commit that contain all of the texts, whatever the case of ASCII letters; binary files do not count. */
  grep(commit: ObjectId, texts: readonly string[], seconds: number): Promise<GrepResult>;
  /** Which commit each line of a text file is from, in the order of the lines. */
  blame(commit: ObjectId, path: TreePath): Promise<BlamedLines[]>;
  /** Which of the newest commits changed each entry of a folder (undefined: of the root) last, by the name of the entry. */
  lastCommits(
    commit: ObjectId,
    folder: TreePath | undefined,
  ): Promise<ReadonlyMap<string, LastCommit>>;
  /** The branches and tags whose history has a commit; undefined where the search takes too long. */
  containingRefs(search: RefsSearch): Promise<ContainingRefs | undefined>;
  /** The authors of a history with how many commits each has, the most first; of very many, the first ones. */
  contributors(tip: ObjectId): Promise<readonly Contributor[]>;
  /** What a history is made of; undefined while it is being counted, which the first call begins. Lines are counted in short histories only. */
  statistics(tip: ObjectId): Promise<HistoryStatistics | undefined>;
  /** The best common ancestor, or undefined for unrelated histories. */
  mergeBase(one: ObjectId, other: ObjectId): Promise<ObjectId | undefined>;
  isAncestor(ancestor: ObjectId, descendant: ObjectId): Promise<boolean>;

  /** Changed files between two trees or commits, renames detected (`from` undefined: no files). */
  diffFiles(from: ObjectId | undefined, to: ObjectId, options: DiffOptions): Promise<FileChange[]>;
  /** Number of files, added and deleted lines. */
  diffStat(from: ObjectId | undefined, to: ObjectId): Promise<DiffStat>;
  /** Byte for byte what `git diff from to` prints. */
  diffText(from: ObjectId | undefined, to: ObjectId): Promise<Buffer>;
  /** Byte for byte what `git format-patch --stdout exclude..include` prints. */
  formatPatch(exclude: ObjectId | undefined, include: ObjectId): Promise<Buffer>;

  /** Merges two commits by git's own merge; moves no ref. Only the tree of a clean merge stays. */
  mergeTrees(ours: ObjectId, theirs: ObjectId): Promise<MergeTreesResult>;
  /** Re-creates `upstream..head` on `upstream`, as `git rebase` does; moves no ref. */
  rebase(upstream: ObjectId, head: ObjectId, committer: Signature): Promise<RebaseResult>;
  /** Whether `rebase` would be clean and leave a commit; writes nothing. */
  testRebase(upstream: ObjectId, head: ObjectId): Promise<boolean>;

  /** Copies an object and all it needs from another repository into this one. */
  fetchObjects(sourceId: number, ids: readonly ObjectId[]): Promise<void>;
  /** The ids of the objects of Git LFS to which the commits of a head point that no branch has; of a very long history, none. */
  largeFilePointers(head: ObjectId): Promise<readonly string[]>;
  /** Packs objects and refs; loses nothing that was written in the last two weeks. */
  maintain(kind: MaintenanceKind): Promise<MaintenanceReport>;

  /** What git says first: its capabilities, and refs. */
  advertise(service: GitService, protocol: string | undefined): Promise<Readable>;
  /** Answers a clone or fetch. The request is already decompressed. */
  uploadPack(request: Readable, protocol: string | undefined): Promise<Readable>;
  /** A whole fetch: its output begins before the request has ended. */
  serveFetch(request: Readable, protocol: string | undefined): Promise<Readable>;
  /**
   * Takes a push. `refused` refs are rejected with their reason in the client's `remote:` lines;
   * the others are applied. The response streams progress as it comes; the report that acknowledges
   * the push is held back until `completed` has resolved and `acknowledge` was called, so that the
   * client gets no report of unrecorded moves. `mayMove` decides again after all objects have arrived.
   */
  receivePack(request: Readable, options: ReceiveOptions, mayMove?: MayMove): ReceivePack;
}

export type GitService = 'upload-pack' | 'receive-pack';

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag';

export interface Ref {
  readonly name: RefName;
  readonly id: ObjectId;
  readonly type: ObjectType;
  /** The commit (or other object) an annotated tag finally names; equal to `id` otherwise. */
  readonly peeled: ObjectId;
}

export interface ObjectInfo {
  readonly type: ObjectType;
  readonly size: number;
}

/** Who and when, as git writes it into commits. */
export interface Signature {
  readonly name: string;
  readonly email: string;
  /** Seconds since the epoch. */
  readonly seconds: number;
  /** Minutes east of UTC. */
  readonly offsetMinutes: number;
}

export interface Commit {
  readonly id: ObjectId;
  readonly tree: ObjectId;
  readonly parents: readonly ObjectId[];
  readonly author: Signature;
  readonly committer: Signature;
  /** Decoded by the commit's own encoding, U+FFFD where that fails; no final newline. */
  readonly message: string;
  /** The signature header, when the commit is signed; null: it is too long to be read. */
  readonly signature: string | null | undefined;
  /** What was signed: the raw commit without its signature header. Only set when signed, and when the commit is not too long to be read whole. */
  readonly payload: string | undefined;
}

export interface NewCommit {
  readonly tree: ObjectId;
  readonly parents: readonly ObjectId[];
  readonly author: Signature;
  readonly committer: Signature;
  readonly message: string;
}

export interface AnnotatedTag {
  readonly id: ObjectId;
  readonly tag: string;
  readonly object: ObjectId;
  readonly type: ObjectType;
  readonly tagger: Signature | undefined;
  readonly message: string;
}

export interface NewTag {
  readonly tag: string;
  readonly object: ObjectId;
  readonly type: ObjectType;
  readonly tagger: Signature;
  readonly message: string;
}

export interface TreeOptions {
  readonly recursive?: boolean;
  /** Stop after so many entries (default 100,000) and say so. */
  readonly entriesMax?: number;
}

export interface Tree {
  readonly id: ObjectId;
  readonly entries: readonly TreeEntry[];
  readonly truncated: boolean;
}

export interface TreeEntry {
  readonly path: string;
  /** Six octal digits: 040000, 100644, 100755, 120000, 160000. */
  readonly mode: string;
  readonly type: 'blob' | 'tree' | 'commit';
  readonly id: ObjectId;
  /** Bytes; only for blobs. */
  readonly size: number | undefined;
}

export interface TreeChange {
  readonly path: TreePath;
  readonly mode: '100644' | '100755' | '040000' | '160000' | '120000';
  /** null removes the path. */
  readonly id: ObjectId | null;
}

export type WriteTreeResult =
  | { readonly kind: 'written'; readonly id: ObjectId }
  /** An object that a change names is absent or of another type, or a removed path is absent. */
  | { readonly kind: 'bad-object'; readonly path: string }
  /** With the tree of a change, too many folders would be inside of each other. */
  | { readonly kind: 'too-deep'; readonly path: string };

export interface GrepResult {
  readonly paths: readonly string[];
  /** Whether it ended before it had looked at all files. */
  readonly cut: boolean;
}

export type MergeTreesResult =
  | { readonly kind: 'clean'; readonly tree: ObjectId }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] }
  | { readonly kind: 'unrelated' };

export type RebaseResult =
  | { readonly kind: 'clean'; readonly tip: ObjectId; readonly commits: readonly ObjectId[] }
  | { readonly kind: 'conflict'; readonly commit: ObjectId };

export interface LogOptions {
  readonly from: ObjectId;
  readonly notIn?: readonly ObjectId[];
  readonly path?: TreePath;
  /** Seconds since the epoch. */
  readonly since?: number;
  readonly until?: number;
  /** Any of them is matched as fixed text in `name <email>`. */
  readonly authors?: readonly string[];
  /** An extended regular expression that matches the message, ignoring case. Not together with `authors`. */
  readonly message?: string;
  readonly skip?: number;
  readonly max: number;
  /** Oldest first, parents before children; `skip` and `max` count from the oldest. */
  readonly reverse?: boolean;
  /** For callers that use ids and parents only: the rest of each commit may be missing. An older git process ignores it. */
  readonly withoutText?: boolean;
}

export function isObjectType(text: string): text is ObjectType {
  return text === 'commit' || text === 'tree' || text === 'blob' || text === 'tag';
}

/** `incremental` packs what is new and small; `full` packs everything and drops what nothing names for long. */
export type MaintenanceKind = 'incremental' | 'full';

/** What a repository takes on disk. */
export interface RepositorySize {
  readonly kibibytes: number;
  readonly packs: number;
  readonly packedObjects: number;
  readonly looseObjects: number;
}

export interface MaintenanceReport {
  readonly before: RepositorySize;
  readonly after: RepositorySize;
}
