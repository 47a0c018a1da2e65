-- Of the comment that began a thread: since when the thread is resolved, and by whom. null: it is not.
alter table review_comments add column resolved_at {{bigint}};
alter table review_comments add column resolved_by_id {{bigint}} references accounts (id) on delete set null;
