-- A network is a repository and all its forks. Its version moves with every change to any of them, so that an answer
-- kept under a version needs no other check.
create table networks (
  id {{id}},
  version {{bigint}} not null default 1
);

create table repositories (
  id {{id}},
  network_id {{bigint}} not null references networks (id),
  owner_id {{bigint}} not null references accounts (id),
  name text not null,
  name_key text not null,
  parent_id {{bigint}} references repositories (id) on delete set null,
  -- creating and forking: git is still at work, and only the owner's own request knows of the repository.
  state text not null check (state in ('creating', 'ready', 'deleting')),
  description text,
  homepage text,
  private {{bigint}} not null default 0,
  default_branch text not null,
  has_issues {{bigint}} not null default 1,
  has_projects {{bigint}} not null default 1,
  has_wiki {{bigint}} not null default 1,
  has_downloads {{bigint}} not null default 1,
  is_template {{bigint}} not null default 0,
  archived {{bigint}} not null default 0,
  allow_merge_commit {{bigint}} not null default 1,
  allow_squash_merge {{bigint}} not null default 1,
  allow_rebase_merge {{bigint}} not null default 1,
  delete_branch_on_merge {{bigint}} not null default 0,
  size_kib {{bigint}} not null default 0,
  topics text not null default '[]',
  -- Issues and pulls share one sequence.
  next_number {{bigint}} not null default 1,
  open_issues {{bigint}} not null default 0,
  created_at {{bigint}} not null,
  updated_at {{bigint}} not null,
  pushed_at {{bigint}},
  unique (owner_id, name_key)
);

create index repositories_by_network on repositories (network_id);
create index repositories_by_parent on repositories (parent_id);

-- Where a renamed or transferred repository used to be.
create table repository_redirects (
  owner_id {{bigint}} not null references accounts (id) on delete cascade,
  name_key text not null,
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  primary key (owner_id, name_key)
);

create table collaborators (
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  account_id {{bigint}} not null references accounts (id) on delete cascade,
  permission text not null check (permission in ('read', 'triage', 'write', 'maintain', 'admin')),
  created_at {{bigint}} not null,
  primary key (repository_id, account_id)
);

create index collaborators_by_account on collaborators (account_id);
