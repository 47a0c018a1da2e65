-- When a version was last invoked, told now and then: a function that nobody uses is put to rest. Null before the first time.
alter table function_versions add column used_at {{bigint}};
