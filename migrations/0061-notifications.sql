-- One thread per account and issue or pull: what it was told of last, and what it has read of it.
create table notification_threads (
  id {{id}},
  account_id {{bigint}} not null references accounts (id) on delete cascade,
  issue_id {{bigint}} not null references issues (id) on delete cascade,
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  reason text not null,
  unread {{bigint}} not null default 1,
  -- Told nothing more when it is 1.
  ignored {{bigint}} not null default 0,
  subscribed_at {{bigint}} not null,
  updated_at {{bigint}} not null,
  last_read_at {{bigint}},
  unique (account_id, issue_id)
);

create index notification_threads_by_account on notification_threads (account_id, updated_at);
create index notification_threads_by_issue on notification_threads (issue_id);
create index notification_threads_by_repository on notification_threads (repository_id);
