-- The second factor of a password. The secret is kept as it is: codes can only be checked by who can make them.
create table second_factors (
  account_id {{bigint}} primary key references accounts (id) on delete cascade,
  secret text not null,
  -- The step of the last code that was taken: no code is taken twice.
  last_step {{bigint}} not null default 0,
  created_at {{bigint}} not null
);

-- Each lets its owner in once without the device. Kept as SHA-256: 80 random bits need no slow hash.
create table recovery_codes (
  account_id {{bigint}} not null references accounts (id) on delete cascade,
  sha256 text not null,
  primary key (account_id, sha256)
);
