create table reviews (
  id {{id}},
  pull_id {{bigint}} not null references pulls (id) on delete cascade,
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  author_id {{bigint}} not null references accounts (id),
  body text not null,
  state text not null check (state in ('PENDING', 'COMMENTED', 'APPROVED', 'CHANGES_REQUESTED', 'DISMISSED')),
  -- The head that was reviewed.
  commit_sha text not null,
  -- null until it is submitted.
  submitted_at {{bigint}}
);

create index reviews_by_pull on reviews (pull_id, id);
create index reviews_by_repository on reviews (repository_id);

-- Nobody has more than one draft of a review of the same pull.
create unique index reviews_pending_once on reviews (pull_id, author_id) where state = 'PENDING';

create table review_requests (
  pull_id {{bigint}} not null references pulls (id) on delete cascade,
  account_id {{bigint}} not null references accounts (id) on delete cascade,
  primary key (pull_id, account_id)
);

create index review_requests_by_account on review_requests (account_id);
