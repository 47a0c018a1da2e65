/** A public key that signs in to git over SSH. */
export interface SshKey {
  readonly id: number;
  readonly owner: SshKeyOwner;
  readonly title: string;
  /** Without a comment. */
  readonly publicKey: string;
  readonly fingerprint: string;
  /** A deploy key that does not push. */
  readonly readOnly: boolean;
  readonly addedBy: { readonly id: number; readonly login: string };
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

/** A user, or a repository for its deploy keys. */
export type SshKeyOwner = { readonly accountId: number } | { readonly repositoryId: number };

/** An event: a deploy key was added to a repository, or removed. */
export interface DeployKeyChanged {
  readonly event: 'deploy_key';
  readonly action: 'created' | 'deleted';
  /** A copy: a deleted key is no longer stored. */
  readonly key: SshKey;
  readonly actorId: number | null;
}
