-- What reviews say of single lines. Where a comment stands now is found out of git when it is asked for; here is where
-- it was written.
create table review_comments (
  id {{id}},
  review_id {{bigint}} not null references reviews (id) on delete cascade,
  pull_id {{bigint}} not null references pulls (id) on delete cascade,
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  author_id {{bigint}} not null references accounts (id),
  -- The comment that began the thread. An answer whose question is deleted stands for itself.
  reply_to_id {{bigint}} references review_comments (id) on delete set null,
  body text not null,
  path text not null,
  -- The path on the left side of the diff, which differs for renamed files.
  left_path text not null,
  -- The commit whose diff was commented on, and where it had parted from the base; null where it never had.
  commit_sha text not null,
  parting_sha text,
  side text not null check (side in ('LEFT', 'RIGHT')),
  line {{bigint}} not null,
  -- null for comments on one line.
  start_side text check (start_side in ('LEFT', 'RIGHT')),
  start_line {{bigint}},
  position {{bigint}} not null,
  diff_hunk text not null,
  created_at {{bigint}} not null,
  updated_at {{bigint}} not null
);

create index review_comments_by_pull on review_comments (pull_id, id);
create index review_comments_by_repository on review_comments (repository_id, id);
create index review_comments_by_review on review_comments (review_id, id);
create index review_comments_by_thread on review_comments (reply_to_id);
