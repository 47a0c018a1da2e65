-- When git's files of the repository are to be packed; null while nothing was pushed since they were.
alter table repositories add column maintenance_due_at {{bigint}};
alter table repositories add column maintained_at {{bigint}};
-- Everything was packed anew, and what nothing named for long was dropped.
alter table repositories add column fully_maintained_at {{bigint}};

create index repositories_by_maintenance on repositories (maintenance_due_at) where maintenance_due_at is not null;
