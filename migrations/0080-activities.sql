-- What the list of a repository's events shows: a row is written in the transaction of what it tells of. A comment, a
-- review or a fork that is removed takes what was told of it along.
create table activities (
  id {{id}},
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  type text not null,
  issue_id {{bigint}} references issues (id) on delete cascade,
  comment_id {{bigint}} references issue_comments (id) on delete cascade,
  review_id {{bigint}} references reviews (id) on delete cascade,
  fork_id {{bigint}} references repositories (id) on delete cascade,
  -- What happened, as JSON.
  facts text not null,
  created_at {{bigint}} not null
);

create index activities_by_repository on activities (repository_id, id);
create index activities_by_issue on activities (issue_id) where issue_id is not null;
create index activities_by_comment on activities (comment_id) where comment_id is not null;
create index activities_by_review on activities (review_id) where review_id is not null;
create index activities_by_fork on activities (fork_id) where fork_id is not null;
