-- While the service key is being changed: the fingerprint of the one that seals from now on. Both keys open what they sealed.
alter table function_service_keys add column next_fingerprint text;

-- When the key was last changed; since then every sealed text says which key opens it.
alter table function_service_keys add column rotated_at {{bigint}};
