create table labels (
  id {{id}},
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  name text not null,
  -- A repository has each name once, whatever its case.
  name_key text not null,
  color text not null,
  description text,
  unique (repository_id, name_key)
);

create table issue_labels (
  issue_id {{bigint}} not null references issues (id) on delete cascade,
  label_id {{bigint}} not null references labels (id) on delete cascade,
  primary key (issue_id, label_id)
);

create index issue_labels_by_label on issue_labels (label_id);
