-- What git-lfs-authenticate gave out over SSH: access to the large files of one repository for some minutes.
create table lfs_grants (
  sha256 text primary key,
  key_id {{bigint}} not null references ssh_keys (id) on delete cascade,
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  -- Whether it uploads.
  writes {{bigint}} not null,
  expires_at {{bigint}} not null
);

create index lfs_grants_by_end on lfs_grants (expires_at);
create index lfs_grants_by_key on lfs_grants (key_id);
create index lfs_grants_by_repository on lfs_grants (repository_id);
