-- Whether the tested head lacks commits of the tested base.
alter table pulls add column tested_behind {{bigint}} not null default 0;
