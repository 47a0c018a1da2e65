-- What a branch demands of those who move it. The rules belong to the name: they wait for a branch that is gone.
create table branch_rules (
  id {{id}},
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  branch text not null,
  -- null where no statuses are demanded, else a JSON array of contexts.
  contexts text,
  strict {{bigint}} not null default 0,
  -- null where no reviews are demanded.
  approvals {{bigint}},
  dismiss_stale {{bigint}} not null default 0,
  enforce_admins {{bigint}} not null default 0,
  -- Whether only the branch_pushers may push.
  restricted {{bigint}} not null default 0,
  allow_force_pushes {{bigint}} not null default 0,
  allow_deletions {{bigint}} not null default 0,
  unique (repository_id, branch)
);

create table branch_pushers (
  rules_id {{bigint}} not null references branch_rules (id) on delete cascade,
  account_id {{bigint}} not null references accounts (id) on delete cascade,
  primary key (rules_id, account_id)
);

create index branch_pushers_by_account on branch_pushers (account_id);
