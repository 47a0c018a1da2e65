-- 1 from the moment that a suite was rerequested until its App changes a run of it: until then it counts as queued.
alter table check_suites add column rerequested {{bigint}} not null default 0;

-- For the App that provided a check last.
create index check_runs_by_name on check_runs (repository_id, name, id);
