-- Nodes of a cluster. A row without an address is of a server that is alone.
alter table nodes add column address text;
alter table nodes add column version text;
-- Of the process: the next one with the same data directory has another.
alter table nodes add column incarnation text;
-- Whether it takes requests: not while it starts or stops.
alter table nodes add column serving {{bigint}} not null default 0;

-- The server whose request changes the refs; others finish the change when that is dead.
alter table ref_intents add column server_id text;
-- The server that creates or deletes the repository.
alter table repositories add column life_server_id text;
