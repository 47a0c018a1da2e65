-- Members of an organization who are given permissions in its repositories together.
create table teams (
  id {{id}},
  organization_id {{bigint}} not null references accounts (id) on delete cascade,
  name text not null,
  -- The name as addresses have it.
  slug text not null,
  description text,
  privacy text not null check (privacy in ('secret', 'closed')),
  -- What it is given in repositories where nothing else is said.
  permission text not null check (permission in ('read', 'triage', 'write', 'maintain', 'admin')),
  created_at {{bigint}} not null,
  updated_at {{bigint}} not null,
  unique (organization_id, slug)
);

create table team_members (
  team_id {{bigint}} not null references teams (id) on delete cascade,
  user_id {{bigint}} not null references accounts (id) on delete cascade,
  role text not null check (role in ('member', 'maintainer')),
  primary key (team_id, user_id)
);

create index team_members_by_user on team_members (user_id);

create table team_repositories (
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  team_id {{bigint}} not null references teams (id) on delete cascade,
  permission text not null check (permission in ('read', 'triage', 'write', 'maintain', 'admin')),
  primary key (repository_id, team_id)
);

create index team_repositories_by_team on team_repositories (team_id);

-- What each account has in a repository by its teams, as rungs of the permission ladder (forge/model/permission.ts).
create view team_grants as
  select r.repository_id, m.user_id as account_id,
    case r.permission when 'read' then 1 when 'triage' then 2 when 'write' then 3 when 'maintain' then 4 else 5 end
      as rung
  from team_repositories r join team_members m on m.team_id = r.team_id;

create table team_review_requests (
  pull_id {{bigint}} not null references pulls (id) on delete cascade,
  team_id {{bigint}} not null references teams (id) on delete cascade,
  primary key (pull_id, team_id)
);

create index team_review_requests_by_team on team_review_requests (team_id);
