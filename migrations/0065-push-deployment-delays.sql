-- Attempts that were put off since the last push or outcome: the pauses between them grow, and the last one fails.
alter table function_push_deployments add column delays {{bigint}} not null default 0;
