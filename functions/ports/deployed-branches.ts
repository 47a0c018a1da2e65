/** The branches of the forge's repositories that deploy functions; `hob serve` connects the two. */
export interface DeployedBranches {
  /** A repository to which the user may push. */
  find(owner: string, name: string, userId: number): Promise<PushableRepository>;
  /** `owner/name` of those that the user may read, by id. */
  names(ids: readonly number[], userId: number): Promise<ReadonlyMap<number, string>>;
  /** Whether it is a name that a branch can have. */
  isBranchName(name: string): boolean;
  /** Where a branch is, if the user may still push to it. */
  tip(repositoryId: number, branch: string, userId: number): Promise<BranchTip>;
  /** Creates a status of a commit; nothing if the repository or the commit is gone. */
  setStatus(repositoryId: number, userId: number, status: DeploymentStatus): Promise<void>;
}

export type PushableRepository =
  /** `read-only`: the user may not push to it. */
  | {
      readonly kind: 'found' | 'read-only';
      readonly id: number;
      readonly fullName: string;
      readonly administers: boolean;
    }
  /** It does not exist, or the user may not know of it: then it has an id, to find what the user created before. */
  | { readonly kind: 'absent'; readonly id: number | undefined };

export type BranchTip =
  | {
      readonly kind: 'tip';
      readonly owner: string;
      readonly name: string;
      readonly commit: string;
    }
  /** The user may no longer push to it. */
  | { readonly kind: 'forbidden' }
  /** With a sentence for the user. */
  | { readonly kind: 'gone'; readonly reason: string }
  | { readonly kind: 'unavailable'; readonly message: string };

export interface DeploymentStatus {
  readonly commit: string;
  readonly context: string;
  readonly state: 'pending' | 'success' | 'failure';
  /** Cut where it is longer than a description of a status may be. */
  readonly description: string;
}
