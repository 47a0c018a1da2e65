-- The name of the function to be invoked, without version or alias; null for an operation that an earlier version has stored.
alter table durable_operations add column invoked_function text;
