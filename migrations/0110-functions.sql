-- One site has one account and one region: a name is enough to know a function by.
create table functions (
  id {{id}},
  name text not null unique,
  -- Numbers of versions are never used again.
  last_version {{bigint}} not null default 0,
  tags text not null,
  reserved_concurrency {{bigint}},
  recursion_loop text not null default 'Terminate',
  runtime_management text,
  created_at {{bigint}} not null
);

-- A configuration never changes under its id: an update makes another.
create table function_configurations (
  id {{id}},
  function_id {{bigint}} not null references functions (id) on delete cascade,
  settings text not null,
  sealed_variables text,
  code_sha256 text not null
);

create index function_configurations_by_function on function_configurations (function_id);
create index function_configurations_by_code on function_configurations (code_sha256);

create table function_versions (
  id {{id}},
  function_id {{bigint}} not null references functions (id) on delete cascade,
  -- 0 is $LATEST.
  number {{bigint}} not null,
  configuration_id {{bigint}} not null references function_configurations (id),
  -- What invocations run with; another than the configuration while an update is under way and after it failed.
  serving_id {{bigint}} references function_configurations (id),
  revision_id text not null,
  last_modified {{bigint}} not null,
  state text not null,
  state_reason text,
  state_reason_code text,
  update_status text,
  update_reason text,
  update_reason_code text,
  unique (function_id, number)
);

-- What a crash interrupted is found again at the next start.
create index function_versions_unsettled on function_versions (id)
  where state = 'Pending' or update_status = 'InProgress';
