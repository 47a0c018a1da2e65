-- Access keys of the forge's users. A deleted one stays, without its secret, so that its id is never given again.
create table function_access_keys (
  access_key_id text primary key,
  account_id {{bigint}} not null references accounts (id) on delete cascade,
  sealed_secret text,
  created_at {{bigint}} not null
);

create index function_access_keys_by_account on function_access_keys (account_id);
