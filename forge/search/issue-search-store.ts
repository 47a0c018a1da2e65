import type { Sql } from '#platform/database/database.ts';

import { issueCondition, readsTexts, searchOf } from './issue-qualifiers-store.ts';
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
}

const tables = `issues i join repositories r on r.id = i.repository_id join accounts o on o.id = r.owner_id
  left join pulls p on p.id = i.id`;

const columns = { created: 'i.created_at', updated: 'i.updated_at', comments: 'i.comments' };

/** The issues that meet what of the criterion is not about texts, in order, up to a number. */
export async function listCandidates(
  sql: Sql,
  criterion: Criterion,
  searcher: Searcher,
  order: IssueOrder,
  max: number,
): Promise<FoundIssue[]> {
  const parameters = new Parameters();
  const search = searchOf(criterion, searcher, parameters);
  const conditions = [
    readableIssues(searcher, parameters),
    ...partsOf(criterion, false).map((part) => issueCondition(part, search)),
  ];
  const direction = order.descending ? 'desc' : 'asc';
  const rows = await sql.all<{ id: number; repository_id: number }>(
    `select i.id, i.repository_id from ${tables} where ${conditions.join(' and ')}
     order by ${columns[order.by]} ${direction}, i.id ${direction} limit ${parameters.bind(max)}`,
    ...parameters.values,
  );
  return rows.map((row) => ({ id: row.id, repositoryId: row.repository_id }));
}

/** Those of the issues that meet what of the criterion is about texts. */
export async function matchTexts(
  sql: Sql,
  criterion: Criterion,
  searcher: Searcher,
  ids: readonly number[],
): Promise<Set<number>> {
  const parameters = new Parameters();
  const search = searchOf(criterion, searcher, parameters);
  const conditions = partsOf(criterion, true).map((part) => issueCondition(part, search));
  const rows = await sql.all<{ id: number }>(
    `select i.id from ${tables}
     where i.id in (${ids.map(parameters.bind).join(', ')}) and ${conditions.join(' and ')}`,
    ...parameters.values,
  );
  return new Set(rows.map(({ id }) => id));
}

/** A conjunction falls apart into what is about texts and what is not. */
function partsOf(criterion: Criterion, ofTexts: boolean): Criterion[] {
  const parts = criterion.kind === 'all' ? criterion.parts : [criterion];
  return parts.filter((part) => readsTexts(part) === ofTexts);
}

/** In private repositories, installations may see only issues or only pulls. */
function readableIssues(searcher: Searcher, parameters: Parameters): string {
  const readable = readableRepositories(searcher, ['issues', 'pull_requests'], parameters);
  const reads = searcher.covers?.reads;
  if (!reads || (reads.has('issues') && reads.has('pull_requests'))) return readable;
  return `${readable} and (r.private = 0 or i.is_pull = ${reads.has('issues') ? 0 : 1})`;
}
