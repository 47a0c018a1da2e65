-- The import of a repository from an address. A server that imports writes `updated_at` again and again; one that was stopped does not.
create table repository_imports (
  repository_id {{bigint}} primary key references repositories (id) on delete cascade,
  account_id {{bigint}} not null references accounts (id) on delete cascade,
  url text not null,
  state text not null check (state in ('importing', 'complete', 'failed')),
  -- Why it failed, or what was left out.
  message text,
  received_bytes {{bigint}} not null default 0,
  updated_at {{bigint}} not null
);

create index repository_imports_by_account on repository_imports (account_id);
