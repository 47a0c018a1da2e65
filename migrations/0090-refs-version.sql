-- Rises with every transaction that writes what rows say of this repository's refs, or of the pulls into it. Whoever
-- plans such a transaction reads the version before the refs, and writes only while it still holds.
alter table repositories add column refs_version {{bigint}} not null default 0;
