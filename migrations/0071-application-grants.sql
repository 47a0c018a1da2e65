-- Where an application's users come back to; an application without one only identifies itself.
alter table applications add column callback_url text;

-- The application that got a token; null for tokens that somebody made for themselves or for somebody else.
alter table tokens add column application_id {{bigint}} references applications (id) on delete cascade;

create index tokens_by_application on tokens (application_id, account_id);

-- What a user has allowed an application; scopes are a JSON list, all that were ever allowed.
create table application_grants (
  account_id {{bigint}} not null references accounts (id) on delete cascade,
  application_id {{bigint}} not null references applications (id) on delete cascade,
  scopes text not null,
  created_at {{bigint}} not null,
  primary key (account_id, application_id)
);

create index application_grants_by_application on application_grants (application_id);

-- Each is exchanged for a token once, by the application it was made for.
create table application_codes (
  sha256 text primary key,
  application_id {{bigint}} not null references applications (id) on delete cascade,
  account_id {{bigint}} not null references accounts (id) on delete cascade,
  redirect_uri text not null,
  scopes text not null,
  -- Of PKCE (RFC 7636), always by S256.
  code_challenge text,
  expires_at {{bigint}} not null
);

create index application_codes_by_grant on application_codes (application_id, account_id);
create index application_codes_by_account on application_codes (account_id);
create index application_codes_by_end on application_codes (expires_at);
