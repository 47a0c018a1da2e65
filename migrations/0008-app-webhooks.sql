-- The webhook of a GitHub App is a row of webhooks: its target is an App where that of others is a repository.
drop index webhooks_by_repository;
alter table webhooks add column target_id {{bigint}} references repositories (id) on delete cascade;
update webhooks set target_id = repository_id;
alter table webhooks drop column repository_id;
-- null: of an App.
alter table webhooks rename column target_id to repository_id;
-- null: of a repository.
alter table webhooks add column app_id {{bigint}} references apps (id) on delete cascade;
create index webhooks_by_repository on webhooks (repository_id, id);
create unique index webhooks_by_app on webhooks (app_id);

-- An App without a URL has a row all the same, with an empty URL: the secret is that of the App. Each installation has its own events.
insert into webhooks (app_id, url, content_type, secret, insecure_ssl, active, events, created_at, updated_at)
  select id, coalesce(hook_url, ''), hook_content_type, hook_secret, hook_insecure_ssl, hook_active, '[]', created_at, updated_at
  from apps order by id;

alter table apps drop column hook_url;
alter table apps drop column hook_secret;
alter table apps drop column hook_content_type;
alter table apps drop column hook_insecure_ssl;
alter table apps drop column hook_active;

-- Of deliveries of Apps: the installation, and the repository of the event; null: the event is of none.
alter table webhook_deliveries add column installation_id {{bigint}};
alter table webhook_deliveries add column repository_id {{bigint}};

create index webhook_deliveries_by_repository on webhook_deliveries (repository_id) where repository_id is not null;

-- null: not suspended. A suspended installation has no access and gets no events.
alter table app_installations add column suspended_at {{bigint}};

-- The commit that the pushed branch had before; null: the suite was not made by a push, or the branch is new.
alter table check_suites add column before_sha text;

-- Apps that make their suites themselves in a repository. Without a row, a push makes one for each App that writes checks.
create table check_suite_preferences (
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  app_id {{bigint}} not null references apps (id) on delete cascade,
  automatic {{bigint}} not null,
  primary key (repository_id, app_id)
);

create index check_suite_preferences_by_app on check_suite_preferences (app_id);
