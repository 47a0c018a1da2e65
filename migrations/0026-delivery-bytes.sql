-- What is stored of the deliveries of a webhook, or whoever causes events could fill the disk with them.
alter table webhook_deliveries add column bytes {{bigint}} not null default 0;
alter table webhooks add column delivery_bytes {{bigint}} not null default 0;
update webhook_deliveries set bytes = octet_length(facts) + coalesce(octet_length(payload), 0)
  + coalesce(octet_length(request_headers), 0) + coalesce(octet_length(response_headers), 0)
  + coalesce(octet_length(response_body), 0)
  where delivered_at is not null;
update webhooks set delivery_bytes = coalesce(
  (select sum(d.bytes) from webhook_deliveries d where d.webhook_id = webhooks.id), 0);
