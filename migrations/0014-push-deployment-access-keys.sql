-- The access key that created a push deployment, which ends with it. Those that exist had the oldest key of their owner.
alter table function_push_deployments add column access_key_id text;

update function_push_deployments set access_key_id = (
  select k.access_key_id from function_access_keys k
  where k.account_id = function_push_deployments.account_id and k.sealed_secret is not null
  order by k.created_at, k.access_key_id limit 1
);
