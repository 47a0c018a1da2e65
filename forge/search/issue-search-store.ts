import type { Sql } from '#platform/database/database.ts';

import { placeholders } from '../accounts/account-store.ts';
import { issueCondition } from './issue-qualifiers-store.ts';
import { Parameters, readableRepositories } from './search-conditions-store.ts';
import type { Criterion } from './search-query.ts';
import type { Searcher } from './searcher.ts';

export interface IssueOrder {
  readonly by: 'created' | 'updated' | 'comments';
  readonly descending: boolean;
}

/** An issue that a search has found. */
export interface FoundIssue {
  readonly id: number;
  readonly repositoryId: number;
  /** What the results are sorted by. */
  readonly key: number;
}

/** Ids of issues: above the first, up to the second. */
export interface IdRange {
  readonly above: number;
  readonly upTo: number;
}

/** A cross join has SQLite begin with issues, so that a range of ids reads no others. */
const tables = `issues i cross join repositories r cross join accounts o left join pulls p on p.id = i.id`;
const joined = 'r.id = i.repository_id and o.id = r.owner_id';

const scopedTables = `issues i join repositories r on r.id = i.repository_id join accounts o on o.id = r.owner_id
  left join pulls p on p.id = i.id`;

const columns = { created: 'i.created_at', updated: 'i.updated_at', comments: 'i.comments' };

/** The issues that the searcher may read and that meet the criteria; of all of the repositories that these name, or in a range. */
export async function listCandidates(
  sql: Sql,
  criteria: readonly Criterion[],
  searcher: Searcher,
  by: IssueOrder['by'],
  { range, max }: { readonly range: IdRange | undefined; readonly max: number },
): Promise<FoundIssue[]> {
  const parameters = new Parameters();
  const conditions = [
    ...(range
      ? [joined, `i.id > ${parameters.bind(range.above)}`, `i.id <= ${parameters.bind(range.upTo)}`]
      : []),
    readableIssues(searcher, parameters),
    ...criteria.map((part) => issueCondition(part, { searcher, parameters })),
  ];
  const rows = await sql.all<{ id: number; repository_id: number; sort_key: number }>(
    `select i.id, i.repository_id, ${columns[by]} as sort_key from ${range ? tables : scopedTables}
     where ${conditions.join(' and ')} limit ${parameters.bind(max)}`,
    ...parameters.values,
  );
  return rows.map((row) => ({
    id: row.id,
    repositoryId: row.repository_id,
    key: row.sort_key,
  }));
}

export async function lastIssueId(sql: Sql): Promise<number> {
  const row = await sql.get<{ id: number | null }>(`select max(id) as id from issues`);
  return row?.id ?? 0;
}

/** An issue as criteria about texts see it. */
export interface IssueTexts {
  readonly id: number;
  readonly title: string;
  readonly body: string;
  /** Which of the conditions it meets. */
  readonly met: ReadonlySet<Criterion>;
}

/** The texts of some issues, and which of the criteria without texts they meet. */
export async function readTexts(
  sql: Sql,
  criteria: readonly Criterion[],
  searcher: Searcher,
  ids: readonly number[],
): Promise<IssueTexts[]> {
  const parameters = new Parameters();
  const flags = criteria.map((criterion, index) => {
    const condition = issueCondition(criterion, { searcher, parameters });
    return `, case when ${condition} then 1 else 0 end as met_${index}`;
  });
  const rows = await sql.all<{ id: number; title: string; body: string | null }>(
    `select i.id, i.title, i.body${flags.join('')} from ${scopedTables}
     where i.id in (${ids.map(parameters.bind).join(', ')})`,
    ...parameters.values,
  );
  return rows.map((row) => {
    const members = new Map<string, unknown>(Object.entries(row));
    const met = criteria.filter((_, index) => members.get(`met_${index}`) === 1);
    return { id: row.id, title: row.title, body: row.body ?? '', met: new Set(met) };
  });
}

/** Comments of some issues after one of them, in the order of their ids. */
export async function readCommentTexts(
  sql: Sql,
  issueIds: readonly number[],
  after: number,
  max: number,
): Promise<{ id: number; issueId: number; body: string }[]> {
  const rows = await sql.all<{ id: number; issue_id: number; body: string }>(
    `select id, issue_id, body from issue_comments
     where id > $1 and issue_id in (${placeholders(issueIds.length, 3)}) order by id limit $2`,
    after,
    max,
    ...issueIds,
  );
  return rows.map((row) => ({ id: row.id, issueId: row.issue_id, body: row.body }));
}

/** In private repositories, installations may see only issues or only pulls. */
function readableIssues(searcher: Searcher, parameters: Parameters): string {
  const readable = readableRepositories(searcher, ['issues', 'pull_requests'], parameters);
  const reads = searcher.covers?.reads;
  if (!reads || (reads.has('issues') && reads.has('pull_requests'))) return readable;
  return `${readable} and (r.private = 0 or i.is_pull = ${reads.has('issues') ? 0 : 1})`;
}
