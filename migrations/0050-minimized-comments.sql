-- Why a comment is hidden (forge/model/minimized.ts); null: it is shown.
alter table issue_comments add column minimized_reason text;
alter table review_comments add column minimized_reason text;
alter table reviews add column minimized_reason text;
