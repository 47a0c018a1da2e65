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
  unique (function_id, name)
);

create index durable_executions_due on durable_executions (due_at) where status = 'RUNNING';
create index durable_executions_timeouts on durable_executions (times_out_at) where status = 'RUNNING';
create index durable_executions_expired on durable_executions (expires_at) where expires_at is not null;
create index durable_executions_by_function on durable_executions (function_id, started_at, id);
