-- Numbers of issues that were transferred to another repository, which lead to them from then on.
create table transferred_issues (
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  number {{bigint}} not null,
  issue_id {{bigint}} not null references issues (id) on delete cascade,
  primary key (repository_id, number)
);

create index transferred_issues_by_issue on transferred_issues (issue_id);
