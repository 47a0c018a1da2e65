-- Test events of functions, which everyone who may use the console shares.
create table function_test_events (
  id {{id}},
  function_id {{bigint}} not null references functions (id) on delete cascade,
  name text not null,
  event text not null,
  modified_at {{bigint}} not null,
  unique (function_id, name)
);

-- Networks, queues and other resources that were declared in addition to those of the operator's file. Their declarations may have credentials.
create table declared_resources (
  id {{id}},
  kind text not null,
  name text not null,
  sealed_declaration text not null,
  created_at {{bigint}} not null,
  unique (kind, name)
);
