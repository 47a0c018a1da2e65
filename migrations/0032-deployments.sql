-- Environments of a repository, each made with its first deployment.
create table environments (
  id {{id}},
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  name text not null,
  created_at {{bigint}} not null,
  updated_at {{bigint}} not null,
  unique (repository_id, name)
);

-- Requests to deploy a commit.
create table deployments (
  id {{id}},
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  creator_id {{bigint}} not null references accounts (id),
  commit_sha text not null,
  -- As the creator named the commit.
  ref text not null,
  task text not null,
  -- JSON.
  payload text not null,
  original_environment text not null,
  -- Of the latest status that named one.
  environment text not null,
  description text,
  transient {{bigint}} not null,
  production {{bigint}} not null,
  -- Of the latest status; null before the first.
  state text,
  created_at {{bigint}} not null,
  updated_at {{bigint}} not null
);

create index deployments_by_repository on deployments (repository_id, id);
create index deployments_by_environment on deployments (repository_id, environment, state, id);

create table deployment_statuses (
  id {{id}},
  deployment_id {{bigint}} not null references deployments (id) on delete cascade,
  creator_id {{bigint}} not null references accounts (id),
  state text not null,
  description text not null,
  environment text not null,
  log_url text not null,
  environment_url text not null,
  created_at {{bigint}} not null
);

create index deployment_statuses_by_deployment on deployment_statuses (deployment_id, id);
