create table commit_statuses (
  id {{id}},
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  sha text not null,
  context text not null,
  state text not null check (state in ('error', 'failure', 'pending', 'success')),
  description text,
  target_url text,
  creator_id {{bigint}} not null references accounts (id),
  created_at {{bigint}} not null
);

create index commit_statuses_by_commit on commit_statuses (repository_id, sha, id);

-- One row per label of a commit: how many statuses it has had (the limit is exact because the row is locked) and which
-- is the latest, so that the combined status reads contexts and not their history. Contexts compare without case.
create table status_contexts (
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  sha text not null,
  context_key text not null,
  statuses {{bigint}} not null,
  latest_id {{bigint}} not null,
  latest_state text not null,
  primary key (repository_id, sha, context_key)
);
