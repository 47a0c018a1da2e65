-- 1 where published versions have a snapshot: what stands in for snapshots is found again at the next start.
alter table function_configurations add column snap_start {{bigint}} not null default 0;
update function_configurations set snap_start = 1 where settings like '%"SnapStart":{"ApplyOn":"PublishedVersions"%';
create index function_configurations_with_snap_start on function_configurations (function_id, id) where snap_start = 1;
