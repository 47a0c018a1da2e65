-- The server that has claimed the row; null: none. Only that one makes it due again when it starts.
alter table function_events add column claimed_by text;
-- How often it was claimed. Only the server with the last claim may write what came of it.
alter table function_events add column claims {{bigint}} not null default 0;
update function_events set due_at = accepted_at where claimed = 1;
alter table function_events drop column claimed;

alter table function_messages add column claimed_by text;
alter table function_messages add column claims {{bigint}} not null default 0;
update function_messages set due_at = created_at where claimed = 1;
alter table function_messages drop column claimed;

-- As above, of the run under way; what came of a run is bound to its run_id.
alter table durable_executions add column claimed_by text;
update durable_executions set due_at = case when status = 'RUNNING' then started_at end,
  run_id = null, run_token = null, run_started_at = null where run_id is not null;
-- The server that invokes the other function; what came of that is bound to invoke_at.
alter table durable_operations add column invoked_by text;
update durable_operations set invoke_at = 0 where invoke_at is not null;
