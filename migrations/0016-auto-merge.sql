-- Whether auto-merge may be enabled for pulls of the repository.
alter table repositories add column allow_auto_merge {{bigint}} not null default 0;
-- Auto-merge of a pull, which merges it as soon as the rules of its base allow it: since when, in whose name, how, and with which message.
alter table pulls add column auto_merge_at {{bigint}};
alter table pulls add column auto_merge_by_id {{bigint}} references accounts (id) on delete set null;
-- The head for which it was enabled. A push to the head in a fork disables it: whoever pushed need not be trusted.
alter table pulls add column auto_merge_head_sha text;
alter table pulls add column auto_merge_method text;
alter table pulls add column auto_merge_title text;
alter table pulls add column auto_merge_message text;
create index pulls_by_auto_merge on pulls (id) where auto_merge_at is not null;
