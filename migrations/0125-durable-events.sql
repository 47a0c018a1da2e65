-- What happened in durable executions.
create table durable_events (
  execution_id {{bigint}} not null references durable_executions (id) on delete cascade,
  -- From 1 on, without gaps.
  number {{bigint}} not null,
  -- JSON (functions/durable-executions/history-event.ts).
  event text not null,
  primary key (execution_id, number)
);
