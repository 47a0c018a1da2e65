create table invitations (
  id {{id}},
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  invitee_id {{bigint}} not null references accounts (id) on delete cascade,
  inviter_id {{bigint}} not null references accounts (id) on delete cascade,
  permission text not null check (permission in ('read', 'triage', 'write', 'maintain', 'admin')),
  created_at {{bigint}} not null,
  unique (repository_id, invitee_id)
);

create index invitations_by_invitee on invitations (invitee_id);
