-- Check runs, which GitHub Apps create, and the suites that have them together: one of each App for each commit.
create table check_suites (
  id {{id}},
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  app_id {{bigint}} not null references apps (id) on delete cascade,
  head_sha text not null,
  head_branch text,
  created_at {{bigint}} not null,
  updated_at {{bigint}} not null,
  unique (repository_id, head_sha, app_id)
);

create index check_suites_by_app on check_suites (app_id);

create table check_runs (
  id {{id}},
  suite_id {{bigint}} not null references check_suites (id) on delete cascade,
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  app_id {{bigint}} not null references apps (id) on delete cascade,
  head_sha text not null,
  name text not null,
  status text not null check (status in ('queued', 'in_progress', 'completed')),
  -- null until it is completed.
  conclusion text,
  details_url text,
  external_id text,
  started_at {{bigint}},
  completed_at {{bigint}},
  title text,
  summary text,
  text text,
  annotations {{bigint}} not null default 0,
  -- A JSON list of the buttons that the App offers.
  actions text not null,
  -- 0 once the App has created a newer run of this name for the commit.
  latest {{bigint}} not null
);

create index check_runs_by_commit on check_runs (repository_id, head_sha, latest, id);
create index check_runs_by_suite on check_runs (suite_id, id);
create index check_runs_by_app on check_runs (app_id);

create table check_annotations (
  id {{id}},
  run_id {{bigint}} not null references check_runs (id) on delete cascade,
  -- A JSON object with the members of the interface.
  annotation text not null
);

create index check_annotations_by_run on check_annotations (run_id, id);
