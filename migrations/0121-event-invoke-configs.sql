-- How asynchronous events of a function, of a version of it or of an alias are handled.
create table event_invoke_configs (
  id {{id}},
  function_id {{bigint}} not null references functions (id) on delete cascade,
  -- $LATEST, a number or an alias.
  qualifier text not null,
  retry_attempts_max {{bigint}},
  age_seconds_max {{bigint}},
  -- Targets; null for none.
  on_success text,
  on_failure text,
  modified_at {{bigint}} not null,
  unique (function_id, qualifier)
);
