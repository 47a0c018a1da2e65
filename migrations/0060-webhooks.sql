create table webhooks (
  id {{id}},
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  url text not null,
  content_type text not null check (content_type in ('json', 'form')),
  -- Kept as it is: a signature cannot be made with a hash of it.
  secret text,
  insecure_ssl {{bigint}} not null default 0,
  active {{bigint}} not null default 1,
  -- A JSON list of the events in the order they were asked for.
  events text not null,
  -- What the last delivery came to; null before the first.
  last_code {{bigint}},
  last_status text,
  created_at {{bigint}} not null,
  updated_at {{bigint}} not null
);

create index webhooks_by_repository on webhooks (repository_id, id);

-- The events of active webhooks, one a row: what happens in a repository without them costs one look here.
create table webhook_subscriptions (
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  event text not null,
  webhook_id {{bigint}} not null references webhooks (id) on delete cascade,
  primary key (repository_id, event, webhook_id)
);

create index webhook_subscriptions_by_webhook on webhook_subscriptions (webhook_id);

-- The outbox and the history in one: a row is written in the transaction of what it tells of, and has a due time until
-- the receiver took it or it was given up.
create table webhook_deliveries (
  id {{id}},
  webhook_id {{bigint}} not null references webhooks (id) on delete cascade,
  event text not null,
  action text,
  -- What happened, as JSON; the payload is made of it at the first attempt and then stays.
  facts text not null,
  guid text,
  payload text,
  redelivery {{bigint}} not null default 0,
  attempts {{bigint}} not null default 0,
  due_at {{bigint}},
  -- Of the last attempt.
  delivered_at {{bigint}},
  duration {{bigint}},
  status_code {{bigint}},
  status text,
  request_headers text,
  response_headers text,
  response_body text,
  created_at {{bigint}} not null
);

create index webhook_deliveries_due on webhook_deliveries (due_at) where due_at is not null;
create index webhook_deliveries_by_webhook on webhook_deliveries (webhook_id, id);
