-- GitHub Apps and their installations.
create table apps (
  id {{id}},
  slug text not null unique,
  name text not null,
  owner_id {{bigint}} not null references accounts (id),
  -- The account `slug[bot]`, as which installations act.
  bot_id {{bigint}} not null unique references accounts (id),
  client_id text not null unique,
  client_secret_sha256 text not null,
  -- The private key is shown once and not stored. SPKI, PEM.
  public_key text not null,
  description text,
  external_url text not null,
  -- null: no webhook.
  hook_url text,
  -- Stored as it is: a signature cannot be made with a hash of it.
  hook_secret text,
  hook_content_type text not null check (hook_content_type in ('json', 'form')),
  hook_insecure_ssl {{bigint}} not null default 0,
  hook_active {{bigint}} not null default 1,
  -- Whether accounts other than the owner may install it.
  public {{bigint}} not null default 0,
  -- A JSON object, from permission to level.
  permissions text not null,
  -- A JSON list.
  events text not null,
  created_at {{bigint}} not null,
  updated_at {{bigint}} not null
);

create index apps_by_owner on apps (owner_id);

create table app_installations (
  id {{id}},
  app_id {{bigint}} not null references apps (id) on delete cascade,
  account_id {{bigint}} not null references accounts (id) on delete cascade,
  repository_selection text not null check (repository_selection in ('all', 'selected')),
  -- What the account granted; the App may ask for more since.
  permissions text not null,
  events text not null,
  created_at {{bigint}} not null,
  updated_at {{bigint}} not null,
  unique (app_id, account_id)
);

create index app_installations_by_account on app_installations (account_id);

create table app_installation_repositories (
  installation_id {{bigint}} not null references app_installations (id) on delete cascade,
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  primary key (installation_id, repository_id)
);

create index app_installation_repositories_by_repository on app_installation_repositories (repository_id);

-- Codes of the manifest flow. Each is exchanged once, for an App with this manifest.
create table app_manifest_codes (
  sha256 text primary key,
  owner_id {{bigint}} not null references accounts (id) on delete cascade,
  manifest text not null,
  expires_at {{bigint}} not null
);

create index app_manifest_codes_by_end on app_manifest_codes (expires_at);
create index app_manifest_codes_by_owner on app_manifest_codes (owner_id);

-- Installation tokens are stored nowhere; those that were revoked before their end are listed until then.
create table revoked_installation_tokens (
  id text primary key,
  expires_at {{bigint}} not null
);

create index revoked_installation_tokens_by_end on revoked_installation_tokens (expires_at);
