-- Queues whose messages invoke a function. A mapping outlives its function, which is therefore named and not referred to.
create table event_source_mappings (
  id {{id}},
  uuid text not null unique,
  event_source_arn text not null,
  function_name text not null,
  -- '' for none.
  qualifier text not null,
  enabled {{bigint}} not null,
  batch_size {{bigint}} not null,
  window_seconds {{bigint}} not null,
  -- JSON: the patterns.
  filters text not null,
  reports_failures {{bigint}} not null,
  maximum_concurrency {{bigint}},
  -- JSON.
  tags text not null,
  -- Of the last batch; null before the first.
  last_result text,
  modified_at {{bigint}} not null,
  unique (event_source_arn, function_name, qualifier)
);

create index event_source_mappings_by_function on event_source_mappings (function_name, qualifier, id);
