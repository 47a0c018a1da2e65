-- Deployments that were begun since the last outcome or push: one that ends the server is not tried without end.
alter table function_push_deployments add column attempts {{bigint}} not null default 0;
