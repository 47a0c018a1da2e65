create table branch_pusher_teams (
  rules_id {{bigint}} not null references branch_rules (id) on delete cascade,
  team_id {{bigint}} not null references teams (id) on delete cascade,
  primary key (rules_id, team_id)
);

create index branch_pusher_teams_by_team on branch_pusher_teams (team_id);
