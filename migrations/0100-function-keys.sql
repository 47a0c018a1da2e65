-- Which service key the sealed texts of this database were sealed with: never more than one.
create table function_service_keys (
  only_one {{bigint}} primary key check (only_one = 1),
  fingerprint text not null,
  created_at {{bigint}} not null
);

-- The key ring. A key's material is sealed by the service key; its id is the last part of its ARN.
create table function_keys (
  id text primary key,
  description text not null,
  sealed_material text not null,
  enabled {{bigint}} not null default 1,
  created_at {{bigint}} not null,
  -- From then on the key is gone for good.
  deletion_at {{bigint}}
);
