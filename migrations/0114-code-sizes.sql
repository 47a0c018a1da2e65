-- Bytes of the archive, so that those of all functions can be summed up.
alter table function_configurations add column code_size {{bigint}} not null default 0;
