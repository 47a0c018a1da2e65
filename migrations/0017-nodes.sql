-- Servers that share a PostgreSQL database, and what they own. With SQLite, one server uses the database, and both tables stay empty.
-- Times are of the database's clock: those of the servers may differ.
create table nodes (
  -- The identity in the data directory.
  server_id text primary key,
  -- For people: the host and the process.
  name text not null,
  -- Of the ownership that the lease is for.
  term {{bigint}} not null,
  lease_until {{bigint}} not null
);

-- One row so far: the repositories of the installation. The term grows with every server that takes them over.
create table git_shards (
  id {{bigint}} primary key,
  server_id text not null,
  term {{bigint}} not null
);
