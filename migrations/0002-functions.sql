-- The function service: functions, their versions, events and durable executions.
-- replaces: 0100-function-keys, 0101-function-access-keys, 0105-function-codes, 0106-layers, 0110-functions
-- replaces: 0111-function-aliases, 0112-function-policies, 0113-provisioned-concurrency, 0114-code-sizes
-- replaces: 0115-function-urls, 0116-version-uses, 0120-function-events, 0121-event-invoke-configs
-- replaces: 0122-reserved-functions, 0123-durable-executions, 0124-durable-operations, 0125-durable-events
-- replaces: 0126-event-claims, 0130-code-signing-configs, 0130-service-key-rotation, 0131-snap-start

-- Which service key the sealed texts of this database were sealed with: never more than one.
create table function_service_keys (
  only_one {{bigint}} primary key check (only_one = 1),
  fingerprint text not null,
  created_at {{bigint}} not null,
  -- While the service key is being changed: the fingerprint of the one that seals from now on. Both keys open what they sealed.
  next_fingerprint text,
  -- When the key was last changed; since then every sealed text says which key opens it.
  rotated_at {{bigint}}
);

-- The key ring. A key's material is sealed by the service key; its id is the last part of its ARN.
create table function_keys (
  id text primary key,
  description text not null,
  sealed_material text not null,
  enabled {{bigint}} not null default 1,
  created_at {{bigint}} not null,
  -- From then on the key is gone for good.
  deletion_at {{bigint}}
);

-- Access keys of the forge's users. A deleted one stays, without its secret, so that its id is never given again.
create table function_access_keys (
  access_key_id text primary key,
  account_id {{bigint}} not null references accounts (id) on delete cascade,
  sealed_secret text,
  created_at {{bigint}} not null
);

create index function_access_keys_by_account on function_access_keys (account_id);

-- Archives on disk that functions, versions and layers name by their hash. A row is written with the row that names it.
create table function_codes (
  -- Hex, of the archive.
  sha256 text primary key,
  size {{bigint}} not null,
  unzipped_size {{bigint}} not null,
  created_at {{bigint}} not null
);

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
  created_at {{bigint}} not null,
  code_signing_config_id {{bigint}} references code_signing_configs (id)
);

-- Every invocation asks for the concurrency that is reserved in all.
create index functions_reserved on functions (reserved_concurrency) where reserved_concurrency is not null;
create index functions_by_code_signing_config on functions (code_signing_config_id, name);

-- A configuration never changes under its id: an update makes another.
create table function_configurations (
  id {{id}},
  function_id {{bigint}} not null references functions (id) on delete cascade,
  settings text not null,
  sealed_variables text,
  code_sha256 text not null,
  -- Bytes of the archive, so that those of all functions can be summed up.
  code_size {{bigint}} not null default 0,
  -- 1 where published versions have a snapshot: what stands in for snapshots is found again at the next start.
  snap_start {{bigint}} not null default 0
);

create index function_configurations_by_function on function_configurations (function_id);
create index function_configurations_by_code on function_configurations (code_sha256);
create index function_configurations_with_snap_start on function_configurations (function_id, id) where snap_start = 1;

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
  -- When a version was last invoked, written now and then: a function that is not used becomes inactive. Null before the first time.
  used_at {{bigint}},
  unique (function_id, number)
);

-- What a crash interrupted is found again at the next start.
create index function_versions_unsettled on function_versions (id)
  where state = 'Pending' or update_status = 'InProgress';

create table function_aliases (
  id {{id}},
  function_id {{bigint}} not null references functions (id) on delete cascade,
  name text not null,
  number {{bigint}} not null,
  description text not null,
  -- A second version and the part of the invocations that goes to it.
  other_number {{bigint}},
  other_weight text,
  revision_id text not null,
  unique (function_id, name)
);

-- Who else may use a function, a version or an alias of it: one statement of a policy a row.
create table function_statements (
  id {{id}},
  function_id {{bigint}} not null references functions (id) on delete cascade,
  -- Number of a version or name of an alias; empty for the function itself.
  qualifier text not null,
  statement_id text not null,
  -- JSON, as callers are shown it.
  statement text not null,
  unique (function_id, qualifier, statement_id)
);

-- Provisioned environments of a version or alias.
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

-- Events that were accepted and are not finished: a row stays until the event has succeeded or was given up.
create table function_events (
  id {{id}},
  function_id {{bigint}} not null references functions (id) on delete cascade,
  request_id text not null,
  -- Version or alias as invoked; null without one. It is looked up again at every attempt.
  qualifier text,
  payload text not null,
  client_context text,
  tenant_id text,
  trace_header text,
  accepted_at {{bigint}} not null,
  -- While a server has taken it on, the time at which it may be taken to have lost it.
  due_at {{bigint}} not null,
  -- Times that the function ran and failed.
  attempts {{bigint}} not null default 0,
  -- Times in a row that it could not be run at all.
  delays {{bigint}} not null default 0,
  -- The server that has claimed the row; null: none. Only that one makes it due again when it starts.
  claimed_by text,
  -- How often it was claimed. Only the server with the last claim may write what came of it.
  claims {{bigint}} not null default 0
);

create index function_events_due on function_events (due_at);
create index function_events_by_function on function_events (function_id, due_at);

-- Messages to queues, topics, buses and functions about finished events. They outlive the function.
create table function_messages (
  id {{id}},
  target text not null,
  -- JSON (functions/declared/message.ts).
  message text not null,
  created_at {{bigint}} not null,
  due_at {{bigint}} not null,
  attempts {{bigint}} not null default 0,
  claimed_by text,
  claims {{bigint}} not null default 0
);

create index function_messages_due on function_messages (due_at);

-- How asynchronous events of a function, of a version of it or of an alias are handled.
create table event_invoke_configs (
  id {{id}},
  function_id {{bigint}} not null references functions (id) on delete cascade,
  -- $LATEST, a number or an alias.
  qualifier text not null,
  retry_attempts_max {{bigint}},
  age_seconds_max {{bigint}},
  -- Targets; null for none.
  on_success text,
  on_failure text,
  modified_at {{bigint}} not null,
  unique (function_id, qualifier)
);

-- Durable executions: a row stays until the history of the execution is forgotten, or its function is deleted.
create table durable_executions (
  id {{id}},
  function_id {{bigint}} not null references functions (id) on delete cascade,
  name text not null,
  -- The last part of its ARN.
  key text not null unique,
  -- The version that it runs with to its end; 0 is $LATEST.
  number {{bigint}} not null,
  -- Version or alias as invoked.
  qualifier text not null,
  input text not null,
  client_context text,
  tenant_id text,
  trace_header text,
  timeout_seconds {{bigint}} not null,
  retention_days {{bigint}} not null,
  started_at {{bigint}} not null,
  times_out_at {{bigint}} not null,
  status text not null,
  ended_at {{bigint}},
  result text,
  -- JSON.
  error text,
  -- When its history is forgotten; null until it has ended.
  expires_at {{bigint}},
  -- When it is to be run again; null while it waits for something without a time. While it runs, the time at which the run may
  -- be taken to have been lost.
  due_at {{bigint}},
  -- Request id and secret of the run under way.
  run_id text,
  run_token text,
  run_started_at {{bigint}},
  -- Number of the checkpoint that comes next, and what told the last one from another.
  checkpoint {{bigint}} not null default 1,
  client_token text,
  -- Runs in a row that failed, or could not begin.
  failures {{bigint}} not null default 0,
  delays {{bigint}} not null default 0,
  operations {{bigint}} not null default 0,
  events {{bigint}} not null default 0,
  -- The execution that invoked this one, and by which of its operations.
  caller_id {{bigint}},
  caller_operation text,
  -- As above, of the run under way; what came of a run is bound to its run_id.
  claimed_by text,
  unique (function_id, name)
);

create index durable_executions_due on durable_executions (due_at) where status = 'RUNNING';
create index durable_executions_timeouts on durable_executions (times_out_at) where status = 'RUNNING';
create index durable_executions_expired on durable_executions (expires_at) where expires_at is not null;
create index durable_executions_by_function on durable_executions (function_id, started_at, id);

-- The operations of durable executions.
create table durable_operations (
  number {{id}},
  execution_id {{bigint}} not null references durable_executions (id) on delete cascade,
  id text not null,
  -- Operations are listed in the order in which they were started.
  place {{bigint}} not null,
  parent_id text,
  type text not null,
  status text not null,
  -- JSON (functions/durable-executions/operation.ts), but for what has a column.
  facts text not null,
  result text,
  -- JSON.
  error text,
  -- When time changes it; null when it does not.
  due_at {{bigint}},
  callback_id text unique,
  -- Number of the checkpoint whose answer tells of its last change.
  told_in {{bigint}} not null,
  -- When another function is to be invoked for it.
  invoke_at {{bigint}},
  -- The durable execution that was begun for it.
  chained_id {{bigint}},
  -- The server that invokes the other function; what came of that is bound to invoke_at.
  invoked_by text,
  unique (execution_id, id)
);

create index durable_operations_in_order on durable_operations (execution_id, place);
create index durable_operations_due on durable_operations (execution_id, due_at) where due_at is not null;
create index durable_operations_to_invoke on durable_operations (invoke_at) where invoke_at is not null;
create index durable_operations_chained on durable_operations (chained_id) where chained_id is not null and status = 'STARTED';

-- What happened in durable executions.
create table durable_events (
  execution_id {{bigint}} not null references durable_executions (id) on delete cascade,
  -- From 1 on, without gaps.
  number {{bigint}} not null,
  -- JSON (functions/durable-executions/history-event.ts).
  event text not null,
  primary key (execution_id, number)
);
