-- How often the delivery was claimed. Only the server with the last claim may write what came of its attempt.
alter table webhook_deliveries add column claims {{bigint}} not null default 0;
