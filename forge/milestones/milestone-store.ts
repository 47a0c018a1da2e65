import type { Sql } from '#platform/database/database.ts';
import { type PageBounds, selectPage } from '#platform/database/page-store.ts';

import type { RepositoryWrite } from '../events/invalidate.ts';
import { placeholders } from '../accounts/account-store.ts';
import type { MilestoneFilter } from './milestone-filter.ts';
import type { MilestoneInput } from './milestone-input.ts';
import type { Milestone } from '../model/milestone.ts';

interface MilestoneRow {
  id: number;
  repository_id: number;
  number: number;
  title: string;
  description: string | null;
  state: 'open' | 'closed';
  creator_id: number;
  open_issues: number;
  closed_issues: number;
  due_at: number | null;
  created_at: number;
  updated_at: number;
  closed_at: number | null;
}

const countOf = (state: Milestone['state']): string =>
  `(select count(*) from issues c where c.milestone_id = m.id and c.state = '${state}')`;

const columns = `m.id, m.repository_id, m.number, m.title, m.description, m.state, m.creator_id, m.due_at, m.created_at,
  m.updated_at, m.closed_at, ${countOf('open')} as open_issues, ${countOf('closed')} as closed_issues`;

/** `+ 1` avoids a division by zero: a milestone without issues is 0 percent complete. */
const completeness = `${countOf('closed')} * 1000 / (${countOf('open')} + ${countOf('closed')} + 1)`;

const sortColumns: Readonly<Record<MilestoneFilter['sort'], string>> = {
  // SQLite and PostgreSQL sort null differently; milestones without a due date come last.
  due_on: `coalesce(m.due_at, ${Number.MAX_SAFE_INTEGER})`,
  completeness,
};

export interface MilestonePage {
  readonly milestones: readonly Milestone[];
  readonly total: number;
}

export async function listMilestones(
  sql: Sql,
  repositoryId: number,
  filter: MilestoneFilter,
  page: PageBounds,
): Promise<MilestonePage> {
  const states = filter.state === 'all' ? ['open', 'closed'] : [filter.state, filter.state];
  const from = `milestones m where m.repository_id = $1 and m.state in ($2, $3)`;
  const values = [repositoryId, ...states];
  const order = `${sortColumns[filter.sort]} ${filter.direction}, m.number ${filter.direction}`;
  const list = { columns, from, values, order };
  const { rows, total } = await selectPage<MilestoneRow>(sql, list, page);
  return { milestones: rows.map(milestoneFromRow), total };
}

export async function findMilestone(
  sql: Sql,
  repositoryId: number,
  number: number,
): Promise<Milestone | undefined> {
  const row = await sql.get<MilestoneRow>(
    `select ${columns} from milestones m where m.repository_id = $1 and m.number = $2`,
    repositoryId,
    number,
  );
  return row && milestoneFromRow(row);
}

export async function findMilestoneById(sql: Sql, id: number): Promise<Milestone | undefined> {
  const row = await sql.get<MilestoneRow>(
    `select ${columns} from milestones m where m.id = $1`,
    id,
  );
  return row && milestoneFromRow(row);
}

/** The milestone of each issue that has one, in one statement. */
export async function milestonesOfIssues(
  sql: Sql,
  issueIds: readonly number[],
): Promise<Map<number, Milestone>> {
  if (issueIds.length === 0) return new Map();
  const rows = await sql.all<MilestoneRow & { issue_id: number }>(
    `select ${columns}, i.id as issue_id from issues i join milestones m on m.id = i.milestone_id
     where i.id in (${placeholders(issueIds.length)})`,
    ...issueIds,
  );
  return new Map(rows.map((row) => [row.issue_id, milestoneFromRow(row)]));
}

export interface NewMilestone {
  readonly repositoryId: number;
  readonly creatorId: number;
  readonly input: MilestoneInput & { readonly title: string };
  readonly now: number;
}

/** Returns its number. Fails with a unique violation if the title is taken. */
export async function insertMilestone(
  sql: RepositoryWrite,
  milestone: NewMilestone,
): Promise<number> {
  const { repositoryId, creatorId, input, now } = milestone;
  const next = await sql.get<{ number: number }>(
    `update repositories set next_milestone_number = next_milestone_number + 1 where id = $1
     returning next_milestone_number - 1 as number`,
    repositoryId,
  );
  if (!next) throw new Error(`repository ${repositoryId} is gone`);
  const { title, description = null, state = 'open', dueAt = null } = input;
  await sql.run(
    `insert into milestones
       (repository_id, number, title, description, state, creator_id, due_at, created_at, updated_at, closed_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9)`,
    repositoryId,
    next.number,
    title,
    description,
    state,
    creatorId,
    dueAt,
    now,
    state === 'closed' ? now : null,
  );
  return next.number;
}

/** Fails with a unique violation when the title is taken. */
export async function updateMilestone(
  sql: RepositoryWrite,
  milestone: Milestone,
  input: MilestoneInput,
  now: number,
): Promise<void> {
  const { title, description, state, dueAt } = { ...milestone, ...input };
  await sql.run(
    `update milestones set title = $2, description = $3, state = $4, due_at = $5, closed_at = $6, updated_at = $7
     where id = $1`,
    milestone.id,
    title,
    description,
    state,
    dueAt,
    state === 'closed' ? (milestone.closedAt ?? now) : null,
    now,
  );
}

/** Its issues stay, without a milestone. */
export async function deleteMilestone(sql: RepositoryWrite, milestone: Milestone): Promise<void> {
  await sql.run(`delete from milestones where id = $1`, milestone.id);
}

function milestoneFromRow(row: MilestoneRow): Milestone {
  return {
    id: row.id,
    repositoryId: row.repository_id,
    number: row.number,
    title: row.title,
    description: row.description,
    state: row.state,
    creatorId: row.creator_id,
    openIssues: row.open_issues,
    closedIssues: row.closed_issues,
    dueAt: row.due_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    closedAt: row.closed_at,
  };
}
