-- Folders of repositories, each of which has one owner. Without any other there is one shard, the default one with the id 0: its row comes with its first
-- owner, and its folder is that of the data directory.
alter table git_shards add column name text;
-- An absolute path, the same on all servers that reach it.
alter table git_shards add column folder text;
-- What is in the folder's shard.json: a server that finds it there reaches the shard.
alter table git_shards add column folder_key text;
-- JSON: the addresses of the nodes that may have it; null where all that reach it may.
alter table git_shards add column node_addresses text;
create unique index git_shards_by_name on git_shards (name);

-- Where the repositories of a network are. Forks are where their parents are.
alter table networks add column shard_id {{bigint}} not null default 0;

-- JSON: the ids of the shards whose folders the node reaches, besides the default one.
alter table nodes add column shards text;
