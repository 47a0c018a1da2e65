-- Branches whose pushes deploy functions. A push makes the row due in its own transaction; a deployment takes the tip of the branch.
create table function_push_deployments (
  id {{id}},
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  branch text not null,
  -- The folder of the template in the repository; empty for its root.
  folder text not null,
  -- Whose access keys it needs, and who creates the statuses.
  account_id {{bigint}} not null references accounts (id) on delete cascade,
  created_at {{bigint}} not null,
  -- Counts the pushes, so that one that comes during a deployment is not lost.
  pushes {{bigint}} not null default 0,
  -- The chain of function invocations that caused the last push.
  lineage text,
  due_at {{bigint}},
  claims {{bigint}} not null default 0,
  claimed_by text,
  -- What came of the last deployment.
  commit_sha text,
  state text check (state in ('success', 'failure')),
  reason text,
  finished_at {{bigint}},
  unique (repository_id, branch, folder)
);

create index function_push_deployments_by_account on function_push_deployments (account_id);
create index function_push_deployments_due on function_push_deployments (due_at) where due_at is not null;
