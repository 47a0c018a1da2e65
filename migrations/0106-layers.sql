create table layers (
  id {{id}},
  name text not null unique,
  -- The highest number that was ever given: numbers are not used again.
  last_version {{bigint}} not null default 0
);

create table layer_versions (
  id {{id}},
  layer_id {{bigint}} not null references layers (id) on delete cascade,
  version {{bigint}} not null,
  code_sha256 text not null references function_codes (sha256),
  description text not null,
  license_info text,
  -- JSON lists, in the order given.
  runtimes text not null,
  architectures text not null,
  created_at {{bigint}} not null,
  -- Functions that have a deleted version keep it, so its row stays while one does.
  deleted_at {{bigint}},
  -- Of its policy; null without one.
  policy_revision text,
  unique (layer_id, version)
);

create index layer_versions_by_code on layer_versions (code_sha256);

-- Who else may use a version: one statement of its policy a row.
create table layer_statements (
  id {{id}},
  layer_version_id {{bigint}} not null references layer_versions (id) on delete cascade,
  statement_id text not null,
  -- JSON, as the caller is shown it.
  statement text not null,
  unique (layer_version_id, statement_id)
);
