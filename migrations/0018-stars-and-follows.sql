-- Who has starred a repository, who watches or ignores it, and who follows whom.
create table stars (
  id {{id}},
  account_id {{bigint}} not null references accounts (id) on delete cascade,
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  created_at {{bigint}} not null,
  unique (account_id, repository_id)
);

create index stars_by_repository on stars (repository_id, id);

create table repository_subscriptions (
  id {{id}},
  account_id {{bigint}} not null references accounts (id) on delete cascade,
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  -- Of the pulls of the repository, its account gets no notification.
  ignored {{bigint}} not null default 0,
  created_at {{bigint}} not null,
  unique (account_id, repository_id)
);

create index repository_subscriptions_by_repository on repository_subscriptions (repository_id, id);

create table follows (
  id {{id}},
  follower_id {{bigint}} not null references accounts (id) on delete cascade,
  followed_id {{bigint}} not null references accounts (id) on delete cascade,
  created_at {{bigint}} not null,
  unique (follower_id, followed_id)
);

create index follows_by_followed on follows (followed_id, id);

-- How many accounts have starred a repository, and how many watch it: representations embed both in lists.
alter table repositories add column stargazers {{bigint}} not null default 0;
alter table repositories add column subscribers {{bigint}} not null default 0;

-- Owners got the notifications of their repositories without a row.
insert into repository_subscriptions (account_id, repository_id, ignored, created_at)
  select r.owner_id, r.id, 0, r.created_at from repositories r join accounts a on a.id = r.owner_id
  where a.kind = 'user';
update repositories set subscribers = 1
  where owner_id in (select id from accounts where kind = 'user');
