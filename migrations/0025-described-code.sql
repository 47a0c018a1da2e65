-- What the code of the default branch says: its main language, and the key of its licence (or 'other').
alter table repositories add column language text;
alter table repositories add column license text;
-- The version of the refs at which both were read.
alter table repositories add column described_version {{bigint}} not null default -1;

create index repositories_to_describe on repositories (id) where described_version <> refs_version;

-- Who caused an event, for the lists of users; null in events from before.
alter table activities add column actor_id {{bigint}} references accounts (id) on delete set null;

create index activities_by_actor on activities (actor_id, id) where actor_id is not null;
