-- What happened to an issue or pull. The details are a JSON object whose members depend on the event; what they name
-- (labels, milestones) is kept as it was then.
create table issue_events (
  id {{id}},
  issue_id {{bigint}} not null references issues (id) on delete cascade,
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  -- null where nobody in particular did it: a push that took the commits of a pull in.
  actor_id {{bigint}} references accounts (id),
  event text not null,
  details text not null,
  created_at {{bigint}} not null
);

create index issue_events_by_issue on issue_events (issue_id, id);
create index issue_events_by_repository on issue_events (repository_id, id);
