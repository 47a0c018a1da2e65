import type { Sql } from '#platform/database/database.ts';

import {
  repositoryColumns,
  repositoryFromRow,
  type RepositoryRow,
  repositoryTables,
  topicsFromJson,
} from '../repositories/repository-store.ts';
import { caseless } from '../model/account.ts';
import type { AppPermissionName } from '../model/app.ts';
import type { Repository } from '../model/repository.ts';
import {
  conditionOf,
  containsText,
  never,
  Parameters,
  readableRepositories,
  scopeCondition,
  withinRanges,
} from './search-conditions-store.ts';
import { type Criterion, valuesOf } from './search-query.ts';
import { numberRange, timeRange } from './search-ranges.ts';
import type { Searcher } from './searcher.ts';

export interface RepositorySearchOrder {
  readonly by: 'forks' | 'stars' | 'updated' | 'match';
  readonly descending: boolean;
}

export interface RepositorySearch {
  readonly criterion: Criterion;
  readonly searcher: Searcher;
  /** What an installation needs to find private ones, any of them. */
  readonly needed?: readonly AppPermissionName[];
}

export interface Bounds {
  readonly offset: number;
  readonly size: number;
}

const orders = {
  forks: 'forks',
  stars: 'r.stargazers',
  updated: 'coalesce(r.pushed_at, r.created_at)',
  match: 'r.id',
};

const fields = {
  name: 'r.name',
  description: `coalesce(r.description, '')`,
  topics: 'r.topics',
} as const;

type QualifierCondition = (value: string, parameters: Parameters) => string;

function enumCondition(conditions: Readonly<Record<string, string>>): QualifierCondition {
  return (value) =>
    (Object.hasOwn(conditions, value.toLowerCase())
      ? conditions[value.toLowerCase()]
      : undefined) ?? never;
}

function numbers(column: string): QualifierCondition {
  return (value, parameters) => withinRanges(column, [numberRange(value)], parameters);
}

function times(column: string): QualifierCondition {
  return (value, parameters) => withinRanges(column, [timeRange(value)], parameters);
}

function hasTopic(value: string, parameters: Parameters): string {
  return containsText('r.topics', JSON.stringify(caseless(value)), parameters);
}

const forksOf = `(select count(*) from repositories f where f.parent_id = r.id and f.state = 'ready')`;
const isArchived = { true: 'r.archived = 1', false: 'r.archived = 0' };

const qualifiers: Readonly<Record<string, QualifierCondition>> = {
  in: () => '1 = 1',
  is: enumCondition({
    public: 'r.private = 0',
    private: 'r.private = 1',
    archived: 'r.archived = 1',
  }),
  visibility: enumCondition({ public: 'r.private = 0', private: 'r.private = 1' }),
  archived: enumCondition(isArchived),
  template: enumCondition({ true: 'r.is_template = 1', false: 'r.is_template = 0' }),
  fork: enumCondition({
    true: '1 = 1',
    only: 'r.parent_id is not null',
    false: 'r.parent_id is null',
  }),
  topic: hasTopic,
  created: times('r.created_at'),
  pushed: times('r.pushed_at'),
  size: numbers('r.size_kib'),
  forks: numbers(forksOf),
  stars: numbers('r.stargazers'),
};

export const repositoryQualifiers: ReadonlySet<string> = new Set([
  'repo',
  'user',
  'org',
  ...Object.keys(qualifiers),
]);

/** One page of the repositories that the searcher may read and that meet the criterion, and their number. */
export async function findRepositories(
  sql: Sql,
  { criterion, searcher, needed = ['metadata'] }: RepositorySearch,
  { by, descending }: RepositorySearchOrder,
  bounds: Bounds,
): Promise<{ repositories: Repository[]; total: number }> {
  const parameters = new Parameters();
  const named = valuesOf(criterion, 'in');
  const columns = Object.entries(fields).flatMap(([name, column]) =>
    named.includes(name) ? [column] : [],
  );
  // As GitHub does, forks are found only where the query asks for them.
  const asksForForks = ['fork', 'repo'].some((name) => valuesOf(criterion, name).length > 0);
  const forks = asksForForks ? '1 = 1' : 'r.parent_id is null';
  const conditions = [
    readableRepositories(searcher, needed, parameters),
    forks,
    conditionOf(criterion, (leaf) => {
      if (leaf.kind === 'text') {
        const searched = columns.length > 0 ? columns : Object.values(fields);
        return `(${searched.map((column) => containsText(column, leaf.text, parameters)).join(' or ')})`;
      }
      const { name, values } = leaf;
      if (name === 'repo' || name === 'user' || name === 'org') {
        return scopeCondition(name, values, searcher.accountId, parameters);
      }
      const of = Object.hasOwn(qualifiers, name) ? qualifiers[name] : undefined;
      if (!of) return never;
      return `(${values.map((value) => of(value, parameters)).join(' or ') || never})`;
    }),
  ];
  const from = `${repositoryTables} where ${conditions.join(' and ')}`;
  const count = await sql.get<{ total: number }>(
    `select count(*) as total from ${from}`,
    ...parameters.values,
  );
  const direction = descending ? 'desc' : 'asc';
  const rows = await sql.all<RepositoryRow>(
    `select ${repositoryColumns} from ${from} order by ${orders[by]} ${direction}, r.id ${direction}
     limit ${parameters.bind(bounds.size)} offset ${parameters.bind(bounds.offset)}`,
    ...parameters.values,
  );
  return { repositories: rows.map(repositoryFromRow), total: count?.total ?? 0 };
}

/** The topics of all repositories that the searcher may read, with the number of repositories of each, up to a number of repositories. */
export async function countTopics(
  sql: Sql,
  searcher: Searcher,
  max: number,
): Promise<Map<string, { repositories: number; since: number; until: number }>> {
  const parameters = new Parameters();
  const rows = await sql.all<Pick<RepositoryRow, 'topics' | 'created_at' | 'updated_at'>>(
    `select r.topics, r.created_at, r.updated_at from repositories r
     where ${readableRepositories(searcher, ['metadata'], parameters)} and r.topics <> '[]'
     order by r.id limit ${parameters.bind(max)}`,
    ...parameters.values,
  );
  const topics = new Map<string, { repositories: number; since: number; until: number }>();
  for (const row of rows) {
    for (const topic of topicsFromJson(row.topics)) {
      const known = topics.get(topic);
      topics.set(topic, {
        repositories: (known?.repositories ?? 0) + 1,
        since: Math.min(known?.since ?? row.created_at, row.created_at),
        until: Math.max(known?.until ?? row.updated_at, row.updated_at),
      });
    }
  }
  return topics;
}
