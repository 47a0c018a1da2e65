-- Columns by the names that the interfaces use for what they hold.
alter table durable_operations rename column place to position;
-- The checkpoint that saw the operation last change.
alter table durable_operations rename column told_in to updated_in;
alter table review_comments rename column parting_sha to merge_base_sha;

drop index function_versions_unsettled;
create index function_versions_unfinished on function_versions (id)
  where state = 'Pending' or update_status = 'InProgress';

-- What teams grant, as a number that grows with the permission.
drop view team_grants;
create view team_grants as
  select r.repository_id, m.user_id as account_id,
    case r.permission when 'read' then 1 when 'triage' then 2 when 'write' then 3 when 'maintain' then 4 else 5 end
      as level
  from team_repositories r join team_members m on m.team_id = r.team_id;
