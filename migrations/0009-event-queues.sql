-- The asynchronous events of each function that wait or run: a queue has a maximum, which is checked without counting its rows.
create table function_event_queues (
  function_id {{bigint}} primary key references functions (id) on delete cascade,
  events {{bigint}} not null,
  bytes {{bigint}} not null
);
-- Of the payload and the client context.
alter table function_events add column bytes {{bigint}} not null default 0;
update function_events set bytes = octet_length(payload) + coalesce(octet_length(client_context), 0);
insert into function_event_queues (function_id, events, bytes)
  select function_id, count(*), sum(bytes) from function_events group by function_id;
