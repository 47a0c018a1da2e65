create table function_aliases (
  id {{id}},
  function_id {{bigint}} not null references functions (id) on delete cascade,
  name text not null,
  number {{bigint}} not null,
  description text not null,
  -- A second version and the part of the invocations that goes to it.
  other_number {{bigint}},
  other_weight text,
  revision_id text not null,
  unique (function_id, name)
);
