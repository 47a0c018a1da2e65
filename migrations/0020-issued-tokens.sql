-- Who made a token for somebody else; null for tokens that the command line or the first start made.
alter table tokens add column issuer_id {{bigint}} references accounts (id) on delete cascade;
