-- Events that were accepted and not settled yet: a row stays until the event was run, or given up, for good.
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
  claimed {{bigint}} not null default 0,
  -- Times that the function ran and failed.
  attempts {{bigint}} not null default 0,
  -- Times in a row that it could not be run at all.
  delays {{bigint}} not null default 0
);

create index function_events_due on function_events (due_at);
create index function_events_by_function on function_events (function_id, due_at);

-- What is owed to queues, topics, buses and functions about events that are settled. They outlive the function.
create table function_messages (
  id {{id}},
  target text not null,
  -- JSON (functions/declared/message.ts).
  message text not null,
  created_at {{bigint}} not null,
  due_at {{bigint}} not null,
  claimed {{bigint}} not null default 0,
  attempts {{bigint}} not null default 0
);

create index function_messages_due on function_messages (due_at);
