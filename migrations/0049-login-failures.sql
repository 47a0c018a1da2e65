-- Wrong passwords and codes of a login, which lock it (forge 3.8) on every node and across restarts.
create table login_failures (
  account_id {{bigint}} primary key references accounts (id) on delete cascade,
  -- JSON: the times of recent failures; empty once they have locked the login.
  times text not null,
  locked_until {{bigint}} not null
);
