-- The files of a pull that a reviewer has viewed, each as the blob that it was then: changed again, it counts as not viewed.
create table viewed_files (
  account_id {{bigint}} not null references accounts (id) on delete cascade,
  pull_id {{bigint}} not null references pulls (id) on delete cascade,
  path text not null,
  blob_id text not null,
  primary key (account_id, pull_id, path)
);
create index viewed_files_by_pull on viewed_files (pull_id);
