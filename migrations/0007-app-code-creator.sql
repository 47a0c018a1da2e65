-- Who made a code of the manifest flow: a code for an organization is good while its creator owns the organization.
alter table app_manifest_codes add column creator_id {{bigint}} references accounts (id) on delete cascade;

create index app_manifest_codes_by_creator on app_manifest_codes (creator_id);
