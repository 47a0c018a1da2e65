-- Numbers of issues that were deleted, which answer 410 from then on.
create table deleted_issues (
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  number {{bigint}} not null,
  primary key (repository_id, number)
);
