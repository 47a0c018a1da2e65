-- When a token expires (null: never), and when it was last used, to the hour.
alter table tokens add column expires_at {{bigint}};
alter table tokens add column last_used_at {{bigint}};
