-- 0: new networks of repositories get another shard.
alter table git_shards add column accepts_new {{bigint}} not null default 1;

-- Networks that are to get another shard. A row ends with its move; that of one that failed remains for the operator to see.
create table network_moves (
  network_id {{bigint}} primary key references networks (id) on delete cascade,
  from_shard_id {{bigint}} not null,
  shard_id {{bigint}} not null,
  -- requested, copying, switched, failed.
  state text not null,
  -- Of the attempt under way: nothing is switched unless it is still there.
  token text,
  attempts {{bigint}} not null default 0,
  -- JSON: the repositories that were switched, which both shards still have to be told.
  repository_ids text,
  -- For the operator: what is done, and why the last attempt failed.
  step text,
  copied_bytes {{bigint}} not null default 0,
  problem text,
  requested_at {{bigint}} not null
);
