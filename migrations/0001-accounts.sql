-- Users and organizations share one table and one namespace: a login is an owner's first path segment.
create table accounts (
  id {{id}},
  kind text not null check (kind in ('user', 'organization')),
  login text not null,
  login_key text not null unique,
  name text,
  email text,
  email_key text,
  company text,
  blog text,
  location text,
  bio text,
  site_admin {{bigint}} not null default 0,
  password_hash text,
  time_zone text,
  created_at {{bigint}} not null,
  updated_at {{bigint}} not null
);

create index accounts_by_email on accounts (email_key);

create table organization_members (
  organization_id {{bigint}} not null references accounts (id) on delete cascade,
  user_id {{bigint}} not null references accounts (id) on delete cascade,
  role text not null check (role in ('admin', 'member')),
  primary key (organization_id, user_id)
);

create index organization_members_by_user on organization_members (user_id);

-- A token is kept as its SHA-256 only; scopes are a JSON list.
create table tokens (
  id {{id}},
  account_id {{bigint}} not null references accounts (id) on delete cascade,
  sha256 text not null unique,
  last_eight text not null,
  note text,
  scopes text not null,
  created_at {{bigint}} not null
);

create index tokens_by_account on tokens (account_id);

create table applications (
  id {{id}},
  name text not null,
  client_id text not null unique,
  secret_sha256 text not null,
  created_at {{bigint}} not null
);

-- What every kept answer depends on beside its own repository network: moves when any account or membership changes.
create table versions (
  name text primary key,
  version {{bigint}} not null
);

insert into versions (name, version) values ('accounts', 1);
