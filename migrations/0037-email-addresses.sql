-- Addresses of users besides the primary one, which stays in the row of the account.
create table email_addresses (
  id {{id}},
  account_id {{bigint}} not null references accounts (id) on delete cascade,
  email text not null,
  -- In lower case: an address is of one user.
  email_key text not null unique,
  created_at {{bigint}} not null
);

create index email_addresses_by_account on email_addresses (account_id, id);

-- Whether the primary address is left out of profiles and of commits that this server creates.
alter table accounts add column email_hidden {{bigint}} not null default 0;
