-- Bytes of the event and the client context of a durable execution; 0 in rows of earlier versions.
alter table durable_executions add column bytes {{bigint}} not null default 0;
-- What the running executions of a function come to, without reading their rows.
create index durable_executions_running on durable_executions (function_id, bytes) where status = 'RUNNING';
