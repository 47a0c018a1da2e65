-- Messages count apart from the events that wait: what another function owes must not wait for what this one is owed.
alter table function_event_queues add column messages {{bigint}} not null default 0;
alter table function_event_queues add column message_bytes {{bigint}} not null default 0;
