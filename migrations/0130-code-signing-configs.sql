create table code_signing_configs (
  id {{id}},
  -- The end of its ARN: `csc-` and 17 letters and digits.
  config_id text not null unique,
  description text not null,
  -- JSON list of ARNs, in the order given.
  publishers text not null,
  -- Warn or Enforce.
  untrusted_artifacts text not null,
  tags text not null,
  last_modified {{bigint}} not null
);

alter table functions add column code_signing_config_id {{bigint}} references code_signing_configs (id);
create index functions_by_code_signing_config on functions (code_signing_config_id, name);
