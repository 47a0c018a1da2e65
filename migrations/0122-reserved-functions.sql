-- Every invocation asks for the concurrency that is reserved in all.
create index functions_reserved on functions (reserved_concurrency) where reserved_concurrency is not null;
