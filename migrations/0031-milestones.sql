create table milestones (
  id {{id}},
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  number {{bigint}} not null,
  title text not null,
  description text,
  state text not null check (state in ('open', 'closed')),
  creator_id {{bigint}} not null references accounts (id),
  due_at {{bigint}},
  created_at {{bigint}} not null,
  updated_at {{bigint}} not null,
  closed_at {{bigint}},
  unique (repository_id, number),
  unique (repository_id, title)
);

-- Milestones have a sequence of their own: a deleted one's number is not given again.
alter table repositories add column next_milestone_number {{bigint}} not null default 1;

alter table issues add column milestone_id {{bigint}} references milestones (id) on delete set null;

create index issues_by_milestone on issues (milestone_id);
