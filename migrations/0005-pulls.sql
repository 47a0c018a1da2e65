-- Every pull is an issue: what they share is here, so that labels, comments and locks serve both.
create table issues (
  id {{id}},
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  number {{bigint}} not null,
  is_pull {{bigint}} not null,
  author_id {{bigint}} not null references accounts (id),
  title text not null,
  body text,
  state text not null check (state in ('open', 'closed')),
  locked {{bigint}} not null default 0,
  lock_reason text,
  comments {{bigint}} not null default 0,
  created_at {{bigint}} not null,
  updated_at {{bigint}} not null,
  closed_at {{bigint}},
  closed_by_id {{bigint}} references accounts (id),
  unique (repository_id, number)
);

create index issues_by_number on issues (repository_id, is_pull, state, number);
create index issues_by_update on issues (repository_id, is_pull, state, updated_at);

create table pulls (
  id {{bigint}} primary key references issues (id) on delete cascade,
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  -- Repeats issues.state: one open pull per head and base is a unique index below.
  open {{bigint}} not null,
  base_ref text not null,
  base_sha text not null,
  -- null once the head repository is deleted; the label keeps its owner's login.
  head_repository_id {{bigint}} references repositories (id) on delete set null,
  head_owner_id {{bigint}} references accounts (id) on delete set null,
  head_owner_login text not null,
  head_ref text not null,
  head_sha text not null,
  draft {{bigint}} not null default 0,
  maintainer_can_modify {{bigint}} not null default 0,
  merged {{bigint}} not null default 0,
  merged_at {{bigint}},
  merged_by_id {{bigint}} references accounts (id),
  -- Set by a merge; before it the tested_ columns speak.
  merge_commit_sha text,
  commits {{bigint}} not null,
  additions {{bigint}} not null,
  deletions {{bigint}} not null,
  changed_files {{bigint}} not null,
  review_comments {{bigint}} not null default 0,
  -- The last test merge: it counts only while both SHAs are still the pull's own (mergeable is null otherwise).
  tested_base_sha text,
  tested_head_sha text,
  tested_clean {{bigint}},
  tested_rebaseable {{bigint}},
  test_merge_sha text
);

create index pulls_by_head on pulls (head_repository_id, head_ref, open);
create index pulls_by_base on pulls (repository_id, base_ref, open);
create index pulls_by_head_sha on pulls (repository_id, head_sha);

create unique index pulls_open_once on pulls (repository_id, base_ref, head_repository_id, head_ref)
  where open = 1;

-- What is about to happen to refs: written before git is asked, removed when the rows that follow are written. What is
-- left at start is finished or undone (crash matrix). A pull has at most one merge under way.
create table ref_intents (
  id {{id}},
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  kind text not null check (kind in ('push', 'update', 'merge')),
  merged_pull_id {{bigint}} unique references issues (id) on delete cascade,
  payload text not null,
  created_at {{bigint}} not null
);

create index ref_intents_by_repository on ref_intents (repository_id);
