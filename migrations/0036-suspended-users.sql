-- When a site administrator suspended the user; null: the user can sign in.
alter table accounts add column suspended_at {{bigint}};
