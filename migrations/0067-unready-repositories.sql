-- Looked for every second in a cluster.
create index repositories_unready on repositories (id) where state <> 'ready';
