-- The deliveries of a webhook in the order in which they are due, and those that servers attempt.
create index webhook_deliveries_due_by_webhook on webhook_deliveries (webhook_id, due_at, id) where due_at is not null;
create index webhook_deliveries_claimed on webhook_deliveries (webhook_id, due_at) where claimed_by is not null;
