create table issue_comments (
  id {{id}},
  issue_id {{bigint}} not null references issues (id) on delete cascade,
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  author_id {{bigint}} not null references accounts (id),
  body text not null,
  created_at {{bigint}} not null,
  updated_at {{bigint}} not null
);

create index issue_comments_by_issue on issue_comments (issue_id, id);
create index issue_comments_by_repository on issue_comments (repository_id, id);
