-- A program without a browser asks for a code (RFC 8628), which its user types in and allows.
create table device_codes (
  sha256 text primary key,
  user_code text not null unique,
  application_id {{bigint}} not null references applications (id) on delete cascade,
  scopes text not null,
  -- Who has allowed it, or refused.
  account_id {{bigint}} references accounts (id) on delete cascade,
  refused {{bigint}} not null default 0,
  -- How long the program must wait between two questions, and when it asked last.
  interval_seconds {{bigint}} not null,
  asked_at {{bigint}},
  expires_at {{bigint}} not null
);

create index device_codes_by_end on device_codes (expires_at);
create index device_codes_by_application on device_codes (application_id);
create index device_codes_by_account on device_codes (account_id) where account_id is not null;

-- The command line client of GitHub, which asks every server with this id. It has no secret that is known here.
insert into applications (name, client_id, secret_sha256, created_at)
  values ('GitHub CLI', '178c6fc778ccc68e1d6a', '0000000000000000000000000000000000000000000000000000000000000000', 0);

-- Git LFS: objects by their SHA-256. Several repositories of a network may name one file.
create table lfs_objects (
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  oid text not null,
  size {{bigint}} not null,
  -- The name of its file in the data directory, among those of release assets.
  file text not null,
  created_at {{bigint}} not null,
  primary key (repository_id, oid)
);

create index lfs_objects_by_oid on lfs_objects (oid);
create index lfs_objects_by_file on lfs_objects (file);

create table lfs_locks (
  id {{id}},
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  path text not null,
  owner_id {{bigint}} not null references accounts (id) on delete cascade,
  created_at {{bigint}} not null,
  unique (repository_id, path)
);

create index lfs_locks_by_owner on lfs_locks (owner_id);
