-- Why an issue is closed, or `reopened`; null: never closed, or a pull.
alter table issues add column state_reason text;
update issues set state_reason = 'completed' where state = 'closed' and is_pull = 0;
-- When the issue was pinned; null: it is not.
alter table issues add column pinned_at {{bigint}};
create index issues_by_pin on issues (repository_id) where pinned_at is not null;
