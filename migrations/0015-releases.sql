-- What a repository publishes of a tag, with files for its users.
create table releases (
  id {{id}},
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  author_id {{bigint}} not null references accounts (id),
  tag_name text not null,
  -- The branch or commit of which the tag was created.
  target_commitish text not null,
  name text,
  body text,
  draft {{bigint}} not null,
  prerelease {{bigint}} not null,
  -- When it became the latest release; null for one that was not made so.
  latest_at {{bigint}},
  -- Of the tag's commit; of the draft, while it is one.
  created_at {{bigint}} not null,
  published_at {{bigint}},
  updated_at {{bigint}} not null
);

-- Drafts may share a tag with each other and with a release.
create unique index releases_by_tag on releases (repository_id, tag_name) where draft = 0;
create index releases_by_repository on releases (repository_id, created_at, id);

create table release_assets (
  id {{id}},
  release_id {{bigint}} not null references releases (id) on delete cascade,
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  uploader_id {{bigint}} not null references accounts (id),
  name text not null,
  label text,
  content_type text not null,
  size {{bigint}} not null,
  sha256 text not null,
  -- The name of its file in the data directory, which is never used again.
  file text not null unique,
  download_count {{bigint}} not null default 0,
  created_at {{bigint}} not null,
  updated_at {{bigint}} not null,
  unique (release_id, name)
);

alter table activities add column release_id {{bigint}} references releases (id) on delete cascade;

create index activities_by_release on activities (release_id) where release_id is not null;
