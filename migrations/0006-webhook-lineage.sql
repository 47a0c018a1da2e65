-- The chain of function invocations that caused the event, if a function caused it: recursive loops through webhooks are ended by it.
alter table webhook_deliveries add column lineage text;
-- The server that has claimed the delivery; null: none. When it starts again, it need not wait until the claim expires.
alter table webhook_deliveries add column claimed_by text;
