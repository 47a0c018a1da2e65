-- What the page of a repository shows of the code of its default branch, as read with its language and licence.
create table code_statistics (
  repository_id {{bigint}} primary key references repositories (id) on delete cascade,
  -- JSON, by language: its bytes, the most first.
  languages text not null,
  -- null where counting takes too long.
  contributors {{bigint}}
);

-- Repositories are read again.
update repositories set described_version = -2 where described_version >= 0;
