-- How often the base branch of a pull was replaced by another, and how often it had been when a review was begun.
alter table pulls add column base_version {{bigint}} not null default 0;
alter table reviews add column base_version {{bigint}} not null default 0;
