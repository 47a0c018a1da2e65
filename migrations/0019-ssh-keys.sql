-- The public keys that sign in to git over SSH: a user's, for all that its owner may do, or a repository's (a deploy key).
create table ssh_keys (
  id {{id}},
  -- The user whose key it is; null for a deploy key.
  account_id {{bigint}} references accounts (id) on delete cascade,
  -- The repository of a deploy key; null for a user's.
  repository_id {{bigint}} references repositories (id) on delete cascade,
  -- Who added it. Pushes with a deploy key are that account's.
  added_by {{bigint}} not null references accounts (id) on delete cascade,
  title text not null,
  -- Its algorithm and its bytes in base64, as in authorized_keys, without a comment.
  public_key text not null,
  -- SHA-256 of its bytes, in base64 without padding, as ssh-keygen shows it. A key belongs to one user or repository.
  fingerprint text not null unique,
  read_only {{bigint}} not null,
  created_at {{bigint}} not null,
  last_used_at {{bigint}},
  check ((account_id is null) <> (repository_id is null))
);

create index ssh_keys_by_account on ssh_keys (account_id, id) where account_id is not null;
create index ssh_keys_by_repository on ssh_keys (repository_id, id) where repository_id is not null;
