-- Who else may use a function, a version or an alias of it: one statement of a policy a row.
create table function_statements (
  id {{id}},
  function_id {{bigint}} not null references functions (id) on delete cascade,
  -- Number of a version or name of an alias; empty for the function itself.
  qualifier text not null,
  statement_id text not null,
  -- JSON, as callers are shown it.
  statement text not null,
  unique (function_id, qualifier, statement_id)
);
