create table function_urls (
  id {{id}},
  function_id {{bigint}} not null references functions (id) on delete cascade,
  -- Name of an alias; empty for the function itself.
  qualifier text not null,
  -- What the address begins with.
  url_id text not null unique,
  auth_type text not null,
  -- JSON; null without one.
  cors text,
  -- Null until it was given.
  invoke_mode text,
  created_at {{bigint}} not null,
  modified_at {{bigint}} not null,
  unique (function_id, qualifier)
);
