-- The template that the repository was made from; null: none, or it is gone.
alter table repositories add column template_id {{bigint}} references repositories (id) on delete set null;
create index repositories_by_template on repositories (template_id) where template_id is not null;
