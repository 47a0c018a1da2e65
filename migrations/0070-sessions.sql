-- Browsers that are signed in. The cookie is kept as its SHA-256; a session is good while the password is the one that began it.
create table sessions (
  sha256 text primary key,
  account_id {{bigint}} not null references accounts (id) on delete cascade,
  password_sha256 text not null,
  created_at {{bigint}} not null,
  expires_at {{bigint}} not null
);

create index sessions_by_account on sessions (account_id);
create index sessions_by_end on sessions (expires_at);

-- Sign-ins whose password was right and whose code is awaited.
create table pending_sign_ins (
  sha256 text primary key,
  account_id {{bigint}} not null references accounts (id) on delete cascade,
  password_sha256 text not null,
  expires_at {{bigint}} not null
);

create index pending_sign_ins_by_account on pending_sign_ins (account_id);
create index pending_sign_ins_by_end on pending_sign_ins (expires_at);
