-- Branches that were made for an issue.
create table linked_branches (
  id {{id}},
  issue_id {{bigint}} not null references issues (id) on delete cascade,
  -- Of the branch; the issue may be in another one.
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  branch text not null,
  created_at {{bigint}} not null,
  unique (issue_id, repository_id, branch)
);

create index linked_branches_by_branch on linked_branches (repository_id, branch);
