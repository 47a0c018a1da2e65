-- Environments of a version or alias that are kept ready.
create table function_provisioned (
  id {{id}},
  function_id {{bigint}} not null references functions (id) on delete cascade,
  -- Number of a version or name of an alias.
  qualifier text not null,
  requested {{bigint}} not null,
  available {{bigint}} not null,
  status text not null,
  status_reason text,
  last_modified {{bigint}} not null,
  unique (function_id, qualifier)
);
