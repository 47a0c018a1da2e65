-- Comments on commits; git does not know of them, so they outlive a commit that no ref contains any more.
create table commit_comments (
  id {{id}},
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  author_id {{bigint}} not null references accounts (id),
  commit_sha text not null,
  body text not null,
  -- Of a comment on a file, as its author gave them.
  path text,
  position {{bigint}},
  line {{bigint}},
  created_at {{bigint}} not null,
  updated_at {{bigint}} not null
);

create index commit_comments_by_repository on commit_comments (repository_id, commit_sha, id);

-- Exactly one of the five is set: what the reaction is to.
create table reactions (
  id {{id}},
  account_id {{bigint}} not null references accounts (id) on delete cascade,
  content text not null,
  issue_id {{bigint}} references issues (id) on delete cascade,
  issue_comment_id {{bigint}} references issue_comments (id) on delete cascade,
  review_comment_id {{bigint}} references review_comments (id) on delete cascade,
  commit_comment_id {{bigint}} references commit_comments (id) on delete cascade,
  release_id {{bigint}} references releases (id) on delete cascade,
  created_at {{bigint}} not null,
  unique (issue_id, account_id, content),
  unique (issue_comment_id, account_id, content),
  unique (review_comment_id, account_id, content),
  unique (commit_comment_id, account_id, content),
  unique (release_id, account_id, content)
);

alter table activities add column commit_comment_id {{bigint}} references commit_comments (id) on delete cascade;

create index activities_by_commit_comment on activities (commit_comment_id) where commit_comment_id is not null;
