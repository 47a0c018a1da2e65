create table issue_assignees (
  issue_id {{bigint}} not null references issues (id) on delete cascade,
  account_id {{bigint}} not null references accounts (id) on delete cascade,
  -- The order of the list: who was assigned first is the `assignee` of older clients.
  position {{bigint}} not null,
  primary key (issue_id, account_id)
);

create index issue_assignees_by_account on issue_assignees (account_id);
