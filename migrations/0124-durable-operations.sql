-- The operations of durable executions.
create table durable_operations (
  number {{id}},
  execution_id {{bigint}} not null references durable_executions (id) on delete cascade,
  id text not null,
  -- They are told in the order in which they were begun.
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
  unique (execution_id, id)
);

create index durable_operations_in_order on durable_operations (execution_id, place);
create index durable_operations_due on durable_operations (execution_id, due_at) where due_at is not null;
create index durable_operations_to_invoke on durable_operations (invoke_at) where invoke_at is not null;
create index durable_operations_chained on durable_operations (chained_id) where chained_id is not null and status = 'STARTED';
