-- The forge: accounts, repositories, pulls, issues and what belongs to them.
-- replaces: 0001-accounts, 0002-repositories, 0003-invitations, 0004-statuses, 0005-pulls, 0020-issued-tokens
-- replaces: 0030-labels, 0031-milestones, 0032-assignees, 0033-issue-comments, 0034-issue-events
-- replaces: 0040-two-factor, 0050-branch-rules, 0051-tested-behind, 0052-reviews, 0060-webhooks
-- replaces: 0061-notifications, 0070-sessions, 0071-application-grants, 0075-review-comments, 0076-teams
-- replaces: 0077-branch-pusher-teams, 0080-activities, 0090-refs-version, 0091-repository-maintenance
-- replaces: 0092-delivery-claims

-- Users and organizations share one table and one namespace: a login is an owner's first path segment.
create table accounts (
  id {{id}},
  kind text not null check (kind in ('user', 'organization')),
  login text not null,
  login_key text not null unique,
  name text,
  email text,
  email_key text,
  company text,
  blog text,
  location text,
  bio text,
  site_admin {{bigint}} not null default 0,
  password_hash text,
  time_zone text,
  created_at {{bigint}} not null,
  updated_at {{bigint}} not null
);

create index accounts_by_email on accounts (email_key);

create table organization_members (
  organization_id {{bigint}} not null references accounts (id) on delete cascade,
  user_id {{bigint}} not null references accounts (id) on delete cascade,
  role text not null check (role in ('admin', 'member')),
  primary key (organization_id, user_id)
);

create index organization_members_by_user on organization_members (user_id);

create table applications (
  id {{id}},
  name text not null,
  client_id text not null unique,
  secret_sha256 text not null,
  created_at {{bigint}} not null,
  -- Where an application's users come back to; an application without one only identifies itself.
  callback_url text
);

-- A token is stored as its SHA-256 only; scopes are a JSON list.
create table tokens (
  id {{id}},
  account_id {{bigint}} not null references accounts (id) on delete cascade,
  sha256 text not null unique,
  last_eight text not null,
  note text,
  scopes text not null,
  created_at {{bigint}} not null,
  -- Who made a token for somebody else; null for tokens that the command line or the first start made.
  issuer_id {{bigint}} references accounts (id) on delete cascade,
  -- The application that got a token; null for tokens that somebody made for themselves or for somebody else.
  application_id {{bigint}} references applications (id) on delete cascade
);

create index tokens_by_account on tokens (account_id);
create index tokens_by_application on tokens (application_id, account_id);

-- What every cached response depends on besides its own repository network: it grows when any account or membership changes.
create table versions (
  name text primary key,
  version {{bigint}} not null
);

insert into versions (name, version) values ('accounts', 1);

-- A network is a repository and all its forks. Its version moves with every change to any of them, so that a
-- response that is cached under a version needs no other check.
create table networks (
  id {{id}},
  version {{bigint}} not null default 1
);

create table repositories (
  id {{id}},
  network_id {{bigint}} not null references networks (id),
  owner_id {{bigint}} not null references accounts (id),
  name text not null,
  name_key text not null,
  parent_id {{bigint}} references repositories (id) on delete set null,
  -- creating and forking: git is still at work, and only the owner's own request knows of the repository.
  state text not null check (state in ('creating', 'ready', 'deleting')),
  description text,
  homepage text,
  private {{bigint}} not null default 0,
  default_branch text not null,
  has_issues {{bigint}} not null default 1,
  has_projects {{bigint}} not null default 1,
  has_wiki {{bigint}} not null default 1,
  has_downloads {{bigint}} not null default 1,
  is_template {{bigint}} not null default 0,
  archived {{bigint}} not null default 0,
  allow_merge_commit {{bigint}} not null default 1,
  allow_squash_merge {{bigint}} not null default 1,
  allow_rebase_merge {{bigint}} not null default 1,
  delete_branch_on_merge {{bigint}} not null default 0,
  size_kib {{bigint}} not null default 0,
  topics text not null default '[]',
  -- Issues and pulls share one sequence.
  next_number {{bigint}} not null default 1,
  open_issues {{bigint}} not null default 0,
  created_at {{bigint}} not null,
  updated_at {{bigint}} not null,
  pushed_at {{bigint}},
  -- Milestones have a sequence of their own: a deleted one's number is not given again.
  next_milestone_number {{bigint}} not null default 1,
  -- Rises with every transaction that writes what rows say of this repository's refs, or of the pulls into it. Whoever
  -- plans such a transaction reads the version before the refs, and writes only while it still holds.
  refs_version {{bigint}} not null default 0,
  -- When git's files of the repository are to be packed; null while nothing was pushed since they were.
  maintenance_due_at {{bigint}},
  maintained_at {{bigint}},
  -- Everything was packed anew, and what nothing named for long was dropped.
  fully_maintained_at {{bigint}},
  unique (owner_id, name_key)
);

create index repositories_by_network on repositories (network_id);
create index repositories_by_parent on repositories (parent_id);
create index repositories_by_maintenance on repositories (maintenance_due_at) where maintenance_due_at is not null;

-- Where a renamed or transferred repository used to be.
create table repository_redirects (
  owner_id {{bigint}} not null references accounts (id) on delete cascade,
  name_key text not null,
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  primary key (owner_id, name_key)
);

create table collaborators (
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  account_id {{bigint}} not null references accounts (id) on delete cascade,
  permission text not null check (permission in ('read', 'triage', 'write', 'maintain', 'admin')),
  created_at {{bigint}} not null,
  primary key (repository_id, account_id)
);

create index collaborators_by_account on collaborators (account_id);

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

create table commit_statuses (
  id {{id}},
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  sha text not null,
  context text not null,
  state text not null check (state in ('error', 'failure', 'pending', 'success')),
  description text,
  target_url text,
  creator_id {{bigint}} not null references accounts (id),
  created_at {{bigint}} not null
);

create index commit_statuses_by_commit on commit_statuses (repository_id, sha, id);

-- One row per label of a commit: how many statuses it has had (the limit is exact because the row is locked) and which
-- is the latest, so that the combined status reads contexts and not their history. Contexts compare without case.
create table status_contexts (
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  sha text not null,
  context_key text not null,
  statuses {{bigint}} not null,
  latest_id {{bigint}} not null,
  latest_state text not null,
  primary key (repository_id, sha, context_key)
);

create table milestones (
  id {{id}},
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  number {{bigint}} not null,
  title text not null,
  description text,
  state text not null check (state in ('open', 'closed')),
  creator_id {{bigint}} not null references accounts (id),
  due_at {{bigint}},
  created_at {{bigint}} not null,
  updated_at {{bigint}} not null,
  closed_at {{bigint}},
  unique (repository_id, number),
  unique (repository_id, title)
);

-- Every pull is an issue: what they share is here, so that labels, comments and locks serve both.
create table issues (
  id {{id}},
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  number {{bigint}} not null,
  is_pull {{bigint}} not null,
  author_id {{bigint}} not null references accounts (id),
  title text not null,
  body text,
  state text not null check (state in ('open', 'closed')),
  locked {{bigint}} not null default 0,
  lock_reason text,
  comments {{bigint}} not null default 0,
  created_at {{bigint}} not null,
  updated_at {{bigint}} not null,
  closed_at {{bigint}},
  closed_by_id {{bigint}} references accounts (id),
  milestone_id {{bigint}} references milestones (id) on delete set null,
  unique (repository_id, number)
);

create index issues_by_number on issues (repository_id, is_pull, state, number);
create index issues_by_update on issues (repository_id, is_pull, state, updated_at);
create index issues_by_milestone on issues (milestone_id);

create table pulls (
  id {{bigint}} primary key references issues (id) on delete cascade,
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  -- Repeats issues.state: one open pull per head and base is a unique index below.
  open {{bigint}} not null,
  base_ref text not null,
  base_sha text not null,
  -- null once the head repository is deleted; the label keeps its owner's login.
  head_repository_id {{bigint}} references repositories (id) on delete set null,
  head_owner_id {{bigint}} references accounts (id) on delete set null,
  head_owner_login text not null,
  head_ref text not null,
  head_sha text not null,
  draft {{bigint}} not null default 0,
  maintainer_can_modify {{bigint}} not null default 0,
  merged {{bigint}} not null default 0,
  merged_at {{bigint}},
  merged_by_id {{bigint}} references accounts (id),
  -- Set by a merge; before it the tested_ columns speak.
  merge_commit_sha text,
  commits {{bigint}} not null,
  additions {{bigint}} not null,
  deletions {{bigint}} not null,
  changed_files {{bigint}} not null,
  review_comments {{bigint}} not null default 0,
  -- The last test merge: it counts only while both SHAs are still the pull's own (mergeable is null otherwise).
  tested_base_sha text,
  tested_head_sha text,
  tested_clean {{bigint}},
  tested_rebaseable {{bigint}},
  test_merge_sha text,
  -- Whether the tested head lacks commits of the tested base.
  tested_behind {{bigint}} not null default 0
);

create index pulls_by_head on pulls (head_repository_id, head_ref, open);
create index pulls_by_base on pulls (repository_id, base_ref, open);
create index pulls_by_head_sha on pulls (repository_id, head_sha);
create unique index pulls_open_once on pulls (repository_id, base_ref, head_repository_id, head_ref)
  where open = 1;

-- What is about to happen to refs: written before git is asked, removed when the rows that follow are written. What is
-- left at start is finished or undone (crash matrix). A pull has at most one merge under way.
create table ref_intents (
  id {{id}},
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  kind text not null check (kind in ('push', 'update', 'merge')),
  merged_pull_id {{bigint}} unique references issues (id) on delete cascade,
  payload text not null,
  created_at {{bigint}} not null
);

create index ref_intents_by_repository on ref_intents (repository_id);

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

create table issue_assignees (
  issue_id {{bigint}} not null references issues (id) on delete cascade,
  account_id {{bigint}} not null references accounts (id) on delete cascade,
  -- The order of the list: who was assigned first is the `assignee` of older clients.
  position {{bigint}} not null,
  primary key (issue_id, account_id)
);

create index issue_assignees_by_account on issue_assignees (account_id);

create table issue_comments (
  id {{id}},
  issue_id {{bigint}} not null references issues (id) on delete cascade,
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  author_id {{bigint}} not null references accounts (id),
  body text not null,
  created_at {{bigint}} not null,
  updated_at {{bigint}} not null
);

create index issue_comments_by_issue on issue_comments (issue_id, id);
create index issue_comments_by_repository on issue_comments (repository_id, id);

-- What happened to an issue or pull. The details are a JSON object whose members depend on the event; what they name
-- (labels, milestones) is stored as it was then.
create table issue_events (
  id {{id}},
  issue_id {{bigint}} not null references issues (id) on delete cascade,
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  -- null where nobody in particular did it: a push that took the commits of a pull in.
  actor_id {{bigint}} references accounts (id),
  event text not null,
  details text not null,
  created_at {{bigint}} not null
);

create index issue_events_by_issue on issue_events (issue_id, id);
create index issue_events_by_repository on issue_events (repository_id, id);

-- The second factor of a password. The secret is stored as it is: codes can only be checked by who can make them.
create table second_factors (
  account_id {{bigint}} primary key references accounts (id) on delete cascade,
  secret text not null,
  -- The step of the last code that was taken: no code is taken twice.
  last_step {{bigint}} not null default 0,
  created_at {{bigint}} not null
);

-- Each lets its owner in once without the device. Kept as SHA-256: 80 random bits need no slow hash.
create table recovery_codes (
  account_id {{bigint}} not null references accounts (id) on delete cascade,
  sha256 text not null,
  primary key (account_id, sha256)
);

-- What a branch demands of those who move it. The rules belong to the name: they wait for a branch that is gone.
create table branch_rules (
  id {{id}},
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  branch text not null,
  -- null where no statuses are demanded, else a JSON array of contexts.
  contexts text,
  strict {{bigint}} not null default 0,
  -- null where no reviews are demanded.
  approvals {{bigint}},
  dismiss_stale {{bigint}} not null default 0,
  enforce_admins {{bigint}} not null default 0,
  -- Whether only the branch_pushers may push.
  restricted {{bigint}} not null default 0,
  allow_force_pushes {{bigint}} not null default 0,
  allow_deletions {{bigint}} not null default 0,
  unique (repository_id, branch)
);

create table branch_pushers (
  rules_id {{bigint}} not null references branch_rules (id) on delete cascade,
  account_id {{bigint}} not null references accounts (id) on delete cascade,
  primary key (rules_id, account_id)
);

create index branch_pushers_by_account on branch_pushers (account_id);

create table reviews (
  id {{id}},
  pull_id {{bigint}} not null references pulls (id) on delete cascade,
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  author_id {{bigint}} not null references accounts (id),
  body text not null,
  state text not null check (state in ('PENDING', 'COMMENTED', 'APPROVED', 'CHANGES_REQUESTED', 'DISMISSED')),
  -- The head that was reviewed.
  commit_sha text not null,
  -- null until it is submitted.
  submitted_at {{bigint}}
);

create index reviews_by_pull on reviews (pull_id, id);
create index reviews_by_repository on reviews (repository_id);

-- Nobody has more than one draft of a review of the same pull.
create unique index reviews_pending_once on reviews (pull_id, author_id) where state = 'PENDING';

create table review_requests (
  pull_id {{bigint}} not null references pulls (id) on delete cascade,
  account_id {{bigint}} not null references accounts (id) on delete cascade,
  primary key (pull_id, account_id)
);

create index review_requests_by_account on review_requests (account_id);

create table webhooks (
  id {{id}},
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  url text not null,
  content_type text not null check (content_type in ('json', 'form')),
  -- Kept as it is: a signature cannot be made with a hash of it.
  secret text,
  insecure_ssl {{bigint}} not null default 0,
  active {{bigint}} not null default 1,
  -- A JSON list of the events in the order they were asked for.
  events text not null,
  -- What the last delivery came to; null before the first.
  last_code {{bigint}},
  last_status text,
  created_at {{bigint}} not null,
  updated_at {{bigint}} not null
);

create index webhooks_by_repository on webhooks (repository_id, id);

-- The events of active webhooks, one a row: what happens in a repository without them costs one look here.
create table webhook_subscriptions (
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  event text not null,
  webhook_id {{bigint}} not null references webhooks (id) on delete cascade,
  primary key (repository_id, event, webhook_id)
);

create index webhook_subscriptions_by_webhook on webhook_subscriptions (webhook_id);

-- The outbox and the history in one: a row is written in the transaction of what it tells of, and has a due time until
-- the receiver took it or it was given up.
create table webhook_deliveries (
  id {{id}},
  webhook_id {{bigint}} not null references webhooks (id) on delete cascade,
  event text not null,
  action text,
  -- What happened, as JSON; the payload is made of it at the first attempt and then stays.
  facts text not null,
  guid text,
  payload text,
  redelivery {{bigint}} not null default 0,
  attempts {{bigint}} not null default 0,
  due_at {{bigint}},
  -- Of the last attempt.
  delivered_at {{bigint}},
  duration {{bigint}},
  status_code {{bigint}},
  status text,
  request_headers text,
  response_headers text,
  response_body text,
  created_at {{bigint}} not null,
  -- How often the delivery was claimed. Only the server with the last claim may write what came of its attempt.
  claims {{bigint}} not null default 0
);

create index webhook_deliveries_due on webhook_deliveries (due_at) where due_at is not null;
create index webhook_deliveries_by_webhook on webhook_deliveries (webhook_id, id);

-- One thread per account and issue or pull: the last notification, and what was read of it.
create table notification_threads (
  id {{id}},
  account_id {{bigint}} not null references accounts (id) on delete cascade,
  issue_id {{bigint}} not null references issues (id) on delete cascade,
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  reason text not null,
  unread {{bigint}} not null default 1,
  -- Told nothing more when it is 1.
  ignored {{bigint}} not null default 0,
  subscribed_at {{bigint}} not null,
  updated_at {{bigint}} not null,
  last_read_at {{bigint}},
  unique (account_id, issue_id)
);

create index notification_threads_by_account on notification_threads (account_id, updated_at);
create index notification_threads_by_issue on notification_threads (issue_id);
create index notification_threads_by_repository on notification_threads (repository_id);

-- Browsers that are signed in. The cookie is stored as its SHA-256; a session is good while the password is the one that began it.
create table sessions (
  sha256 text primary key,
  account_id {{bigint}} not null references accounts (id) on delete cascade,
  password_sha256 text not null,
  created_at {{bigint}} not null,
  expires_at {{bigint}} not null
);

create index sessions_by_account on sessions (account_id);
create index sessions_by_end on sessions (expires_at);

-- Sign-ins whose password was right and whose code is awaited.
create table pending_sign_ins (
  sha256 text primary key,
  account_id {{bigint}} not null references accounts (id) on delete cascade,
  password_sha256 text not null,
  expires_at {{bigint}} not null
);

create index pending_sign_ins_by_account on pending_sign_ins (account_id);
create index pending_sign_ins_by_end on pending_sign_ins (expires_at);

-- What a user has allowed an application; scopes are a JSON list, all that were ever allowed.
create table application_grants (
  account_id {{bigint}} not null references accounts (id) on delete cascade,
  application_id {{bigint}} not null references applications (id) on delete cascade,
  scopes text not null,
  created_at {{bigint}} not null,
  primary key (account_id, application_id)
);

create index application_grants_by_application on application_grants (application_id);

-- Each is exchanged for a token once, by the application it was made for.
create table application_codes (
  sha256 text primary key,
  application_id {{bigint}} not null references applications (id) on delete cascade,
  account_id {{bigint}} not null references accounts (id) on delete cascade,
  redirect_uri text not null,
  scopes text not null,
  -- Of PKCE (RFC 7636), always by S256.
  code_challenge text,
  expires_at {{bigint}} not null
);

create index application_codes_by_grant on application_codes (application_id, account_id);
create index application_codes_by_account on application_codes (account_id);
create index application_codes_by_end on application_codes (expires_at);

-- What reviews say of single lines. Where a comment stands now is found out of git when it is asked for; here is where
-- it was written.
create table review_comments (
  id {{id}},
  review_id {{bigint}} not null references reviews (id) on delete cascade,
  pull_id {{bigint}} not null references pulls (id) on delete cascade,
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  author_id {{bigint}} not null references accounts (id),
  -- The comment that began the thread. An answer whose question is deleted stands for itself.
  reply_to_id {{bigint}} references review_comments (id) on delete set null,
  body text not null,
  path text not null,
  -- The path on the left side of the diff, which differs for renamed files.
  left_path text not null,
  -- The commit whose diff was commented on, and where it had parted from the base; null where it never had.
  commit_sha text not null,
  parting_sha text,
  side text not null check (side in ('LEFT', 'RIGHT')),
  line {{bigint}} not null,
  -- null for comments on one line.
  start_side text check (start_side in ('LEFT', 'RIGHT')),
  start_line {{bigint}},
  position {{bigint}} not null,
  diff_hunk text not null,
  created_at {{bigint}} not null,
  updated_at {{bigint}} not null
);

create index review_comments_by_pull on review_comments (pull_id, id);
create index review_comments_by_repository on review_comments (repository_id, id);
create index review_comments_by_review on review_comments (review_id, id);
create index review_comments_by_thread on review_comments (reply_to_id);

-- Members of an organization who are given permissions in its repositories together.
create table teams (
  id {{id}},
  organization_id {{bigint}} not null references accounts (id) on delete cascade,
  name text not null,
  -- The name as addresses have it.
  slug text not null,
  description text,
  privacy text not null check (privacy in ('secret', 'closed')),
  -- What it is given in repositories where nothing else is said.
  permission text not null check (permission in ('read', 'triage', 'write', 'maintain', 'admin')),
  created_at {{bigint}} not null,
  updated_at {{bigint}} not null,
  unique (organization_id, slug)
);

create table team_members (
  team_id {{bigint}} not null references teams (id) on delete cascade,
  user_id {{bigint}} not null references accounts (id) on delete cascade,
  role text not null check (role in ('member', 'maintainer')),
  primary key (team_id, user_id)
);

create index team_members_by_user on team_members (user_id);

create table team_repositories (
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  team_id {{bigint}} not null references teams (id) on delete cascade,
  permission text not null check (permission in ('read', 'triage', 'write', 'maintain', 'admin')),
  primary key (repository_id, team_id)
);

create index team_repositories_by_team on team_repositories (team_id);

-- What each account has in a repository by its teams, as rungs of the permission ladder (forge/model/permission.ts).
create view team_grants as
  select r.repository_id, m.user_id as account_id,
    case r.permission when 'read' then 1 when 'triage' then 2 when 'write' then 3 when 'maintain' then 4 else 5 end
      as rung
  from team_repositories r join team_members m on m.team_id = r.team_id;

create table team_review_requests (
  pull_id {{bigint}} not null references pulls (id) on delete cascade,
  team_id {{bigint}} not null references teams (id) on delete cascade,
  primary key (pull_id, team_id)
);

create index team_review_requests_by_team on team_review_requests (team_id);

create table branch_pusher_teams (
  rules_id {{bigint}} not null references branch_rules (id) on delete cascade,
  team_id {{bigint}} not null references teams (id) on delete cascade,
  primary key (rules_id, team_id)
);

create index branch_pusher_teams_by_team on branch_pusher_teams (team_id);

-- What the list of a repository's events shows: a row is written in the transaction of the event. Deleting a
-- comment, a review or a fork deletes its rows.
create table activities (
  id {{id}},
  repository_id {{bigint}} not null references repositories (id) on delete cascade,
  type text not null,
  issue_id {{bigint}} references issues (id) on delete cascade,
  comment_id {{bigint}} references issue_comments (id) on delete cascade,
  review_id {{bigint}} references reviews (id) on delete cascade,
  fork_id {{bigint}} references repositories (id) on delete cascade,
  -- What happened, as JSON.
  facts text not null,
  created_at {{bigint}} not null
);

create index activities_by_repository on activities (repository_id, id);
create index activities_by_issue on activities (issue_id) where issue_id is not null;
create index activities_by_comment on activities (comment_id) where comment_id is not null;
create index activities_by_review on activities (review_id) where review_id is not null;
create index activities_by_fork on activities (fork_id) where fork_id is not null;
