-- What the environments of functions did, for the console. A function of the same name goes on with the counts.
create table function_invocation_counts (
  function_name text not null,
  -- Epoch milliseconds at which the five minutes begin.
  beginning {{bigint}} not null,
  invocations {{bigint}} not null,
  errors {{bigint}} not null,
  throttles {{bigint}} not null,
  -- The most at once, on one server.
  concurrency {{bigint}} not null,
  primary key (function_name, beginning)
);

create index function_invocation_counts_by_time on function_invocation_counts (beginning);
