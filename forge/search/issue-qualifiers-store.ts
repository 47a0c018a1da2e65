import { caseless } from '../model/account.ts';
import {
  conditionOf,
  never,
  type Parameters,
  scopeCondition,
  withinRanges,
} from './search-conditions-store.ts';
import { type Criterion, leavesOf } from './search-query.ts';
import { numberRange, timeRange } from './search-ranges.ts';
import type { Searcher } from './searcher.ts';

/** Where texts are looked for. */
export type TextField = 'title' | 'body' | 'comments';

/** What conditions depend on in addition to their values. */
export interface IssueConditions {
  readonly parameters: Parameters;
  readonly searcher: Searcher;
}

type QualifierCondition = (value: string, search: IssueConditions) => string;

/** Qualifiers that are decided with texts, or by reading many rows for each issue. */
const slow: ReadonlySet<string> = new Set([
  'mentions',
  'involves',
  'commenter',
  'status',
  'review',
  'reviewed-by',
]);

/** Whether a criterion is decided for some issues at a time. */
export function isSlow(criterion: Criterion): boolean {
  return leavesOf(criterion).some((leaf) => leaf.kind === 'text' || slow.has(leaf.name));
}

export function fieldsOf(criterion: Criterion): ReadonlySet<TextField> {
  const chosenNames = leavesOf(criterion).flatMap((leaf) =>
    leaf.kind === 'qualifier' && leaf.name === 'in' ? leaf.values : [],
  );
  const all: readonly TextField[] = ['title', 'body', 'comments'];
  const chosen = all.filter((field) => chosenNames.includes(field));
  return new Set(chosen.length > 0 ? chosen : all);
}

export function issueCondition(criterion: Criterion, search: IssueConditions): string {
  return conditionOf(criterion, (leaf) => {
    // Texts are not looked for in SQL (find-issues.ts).
    if (leaf.kind === 'text') return never;
    const { name, values } = leaf;
    if (name === 'repo' || name === 'user' || name === 'org') {
      return scopeCondition(name, values, search.searcher.accountId, search.parameters);
    }
    const of = Object.hasOwn(qualifiers, name) ? qualifiers[name] : undefined;
    if (!of) return never;
    return `(${values.map((value) => of(value, search)).join(' or ') || never})`;
  });
}

/** The id of an account in a query: `ada`, `@me`, or `app/robot` for the bot of an App. */
function accountNamed(value: string, { parameters: { bind }, searcher }: IssueConditions): string {
  if (value === '@me') return bind(searcher.accountId);
  const login = /^app\//i.test(value) ? `${value.slice('app/'.length)}[bot]` : value;
  return `(select x.id from accounts x where x.login_key = ${bind(caseless(login))})`;
}

const assigned = 'exists (select 1 from issue_assignees s where s.issue_id = i.id)';
const labelled = 'exists (select 1 from issue_labels s where s.issue_id = i.id)';

/** Values of `is:`, `state:` and `type:`. */
const states: Readonly<Record<string, string>> = {
  open: `i.state = 'open'`,
  closed: `i.state = 'closed'`,
  merged: 'p.merged = 1',
  unmerged: 'p.merged = 0',
  issue: 'i.is_pull = 0',
  pr: 'i.is_pull = 1',
  'pull-request': 'i.is_pull = 1',
  draft: 'p.draft = 1',
  locked: 'i.locked = 1',
  unlocked: 'i.locked = 0',
  public: 'r.private = 0',
  private: 'r.private = 1',
  archived: 'r.archived = 1',
};

/** Never null, so that it can be negated. */
const closedAs = (reason: string): string =>
  `(i.state = 'closed' and coalesce(i.state_reason, '') = '${reason}')`;

/** Why an issue is closed. */
const reasons: Readonly<Record<string, string>> = {
  completed: closedAs('completed'),
  'not planned': closedAs('not_planned'),
  not_planned: closedAs('not_planned'),
  duplicate: closedAs('duplicate'),
};

const absences: Readonly<Record<string, string>> = {
  label: `not ${labelled}`,
  assignee: `not ${assigned}`,
  milestone: 'i.milestone_id is null',
  // No issue is in a project here.
  project: '1 = 1',
};

function named(words: Readonly<Record<string, string>>): QualifierCondition {
  return (value) => {
    const word = value.toLowerCase();
    return (Object.hasOwn(words, word) ? words[word] : undefined) ?? never;
  };
}

function assignedTo(value: string, search: IssueConditions): string {
  if (value === '*') return assigned;
  return `exists (select 1 from issue_assignees s where s.issue_id = i.id
    and s.account_id = ${accountNamed(value, search)})`;
}

function commentedBy(value: string, search: IssueConditions): string {
  return `exists (select 1 from issue_comments s where s.issue_id = i.id
    and s.author_id = ${accountNamed(value, search)})`;
}

const failing = `(exists (select 1 from status_contexts s where s.repository_id = r.id and s.sha = p.head_sha
    and s.latest_state in ('error', 'failure'))
  or exists (select 1 from check_runs s where s.repository_id = r.id and s.head_sha = p.head_sha and s.latest = 1
    and s.status = 'completed' and s.conclusion not in ('success', 'neutral', 'skipped')))`;
const pending = `(exists (select 1 from status_contexts s where s.repository_id = r.id and s.sha = p.head_sha
    and s.latest_state = 'pending')
  or exists (select 1 from check_runs s where s.repository_id = r.id and s.head_sha = p.head_sha and s.latest = 1
    and s.status <> 'completed'))`;
const reported = `(exists (select 1 from status_contexts s where s.repository_id = r.id and s.sha = p.head_sha)
  or exists (select 1 from check_runs s where s.repository_id = r.id and s.head_sha = p.head_sha and s.latest = 1))`;

/** The state of all statuses and check runs of the head together (checks/check-state.ts). */
const statuses: Readonly<Record<string, string>> = {
  failure: failing,
  pending: `(${pending} and not ${failing})`,
  success: `(${reported} and not ${failing} and not ${pending})`,
};

/** The last opinion of each reviewer counts. */
function lastOpinion(state: string): string {
  return `exists (select 1 from reviews s where s.pull_id = i.id and s.state = '${state}'
    and not exists (select 1 from reviews n where n.pull_id = s.pull_id and n.author_id = s.author_id and n.id > s.id
      and n.state in ('APPROVED', 'CHANGES_REQUESTED', 'DISMISSED')))`;
}
const approved = lastOpinion('APPROVED');
const changesRequested = lastOpinion('CHANGES_REQUESTED');

const reviews: Readonly<Record<string, string>> = {
  none: `(i.is_pull = 1 and not ${approved} and not ${changesRequested})`,
  approved: `(${approved} and not ${changesRequested})`,
  changes_requested: changesRequested,
  required: `(not ${approved} and not ${changesRequested} and exists (select 1 from branch_rules s
    where s.repository_id = r.id and s.branch = p.base_ref and s.approvals > 0))`,
};

function requestedOf(value: string, search: IssueConditions): string {
  return `exists (select 1 from review_requests s where s.pull_id = i.id
    and s.account_id = ${accountNamed(value, search)})`;
}

/** As `loadVisibleTeam` (teams/team-access.ts): members of the organization see its teams, and secret ones only if they are theirs. */
function seesTeam(team: string, { searcher, parameters: { bind } }: IssueConditions): string {
  // Memberships are data of the user, which a token shows with the scope of private repositories.
  if (!searcher.seesPrivate) return never;
  const me = bind(searcher.accountId);
  return `(exists (select 1 from team_members v where v.team_id = ${team}.id and v.user_id = ${me})
    or exists (select 1 from organization_members v where v.organization_id = ${team}.organization_id
      and v.user_id = ${me} and (${team}.privacy <> 'secret' or v.role = 'admin')))`;
}

function equals(column: string): QualifierCondition {
  return (value, { parameters }) => `${column} = ${parameters.bind(value)}`;
}

function at(column: string): QualifierCondition {
  return (value, { parameters }) => withinRanges(column, [timeRange(value)], parameters);
}

/** Of issues and pulls; `repo`, `user` and `org` belong to every search. */
const qualifiers: Readonly<Record<string, QualifierCondition>> = {
  is: named(states),
  state: named(states),
  type: named(states),
  archived: named({ true: 'r.archived = 1', false: 'r.archived = 0' }),
  draft: named({ true: 'p.draft = 1', false: 'p.draft = 0' }),
  no: named(absences),
  reason: named(reasons),
  status: named(statuses),
  review: named(reviews),
  // Says where texts are looked for.
  in: () => '1 = 1',
  author: (value, search) => `i.author_id = ${accountNamed(value, search)}`,
  assignee: assignedTo,
  commenter: commentedBy,
  mentions: () => never,
  involves: (value, search) =>
    `(${[
      `i.author_id = ${accountNamed(value, search)}`,
      assignedTo(value, search),
      commentedBy(value, search),
    ].join(' or ')})`,
  'reviewed-by': (value, search) =>
    `exists (select 1 from reviews s where s.pull_id = i.id and s.state <> 'PENDING'
      and s.author_id = ${accountNamed(value, search)})`,
  'user-review-requested': requestedOf,
  'review-requested': (value, search) =>
    `(${requestedOf(value, search)} or exists (select 1 from team_review_requests s
      join team_members m on m.team_id = s.team_id join teams g on g.id = s.team_id
      where s.pull_id = i.id and m.user_id = ${accountNamed(value, search)}
        and ${seesTeam('g', search)}))`,
  'team-review-requested': (value, search) => {
    const { bind } = search.parameters;
    const [organization = '', slug = ''] = value.split('/');
    return `exists (select 1 from team_review_requests s join teams m on m.id = s.team_id
      join accounts x on x.id = m.organization_id where s.pull_id = i.id
      and x.login_key = ${bind(caseless(organization))} and m.slug = ${bind(caseless(slug))}
      and ${seesTeam('m', search)})`;
  },
  label: (value, { parameters: { bind } }) =>
    `exists (select 1 from issue_labels s join labels l on l.id = s.label_id
      where s.issue_id = i.id and l.name_key = ${bind(caseless(value))})`,
  milestone: (value, { parameters: { bind } }) =>
    value === '*'
      ? 'i.milestone_id is not null'
      : `exists (select 1 from milestones m where m.id = i.milestone_id
          and lower(m.title) = lower(${bind(value)}))`,
  head: equals('p.head_ref'),
  base: equals('p.base_ref'),
  sha: (value, { parameters: { bind } }) => {
    if (!/^[0-9a-f]{7,40}$/i.test(value)) return never;
    const prefix = bind(`${value.toLowerCase()}%`);
    return `(p.head_sha like ${prefix} or p.merge_commit_sha like ${prefix})`;
  },
  created: at('i.created_at'),
  updated: at('i.updated_at'),
  closed: at('i.closed_at'),
  merged: at('p.merged_at'),
  comments: (value, { parameters }) => withinRanges('i.comments', [numberRange(value)], parameters),
  interactions: (value, { parameters }) =>
    withinRanges('i.comments', [numberRange(value)], parameters),
};

export const issueQualifiers: ReadonlySet<string> = new Set([
  'repo',
  'user',
  'org',
  ...Object.keys(qualifiers),
]);
