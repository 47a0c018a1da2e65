import type { Sql, SqlValue } from '#platform/database/database.ts';

import { caseless } from '../model/account.ts';
import type { AppPermissionName } from '../model/app.ts';
import { type Criterion, leavesOf, SearchQueryError } from './search-query.ts';
import type { Range } from './search-ranges.ts';
import type { Searcher } from './searcher.ts';

/** The parameters of a statement. */
export class Parameters {
  readonly values: SqlValue[] = [];

  readonly bind = (value: SqlValue): string => `$${this.values.push(value)}`;
}

export const never = '1 = 0';

/** A condition for each kind of leaf, combined as the criterion combines them. */
export function conditionOf(criterion: Criterion, leaf: LeafCondition): string {
  switch (criterion.kind) {
    case 'all':
      return joined(criterion.parts, ' and ', '1 = 1', leaf);
    case 'any':
      return joined(criterion.parts, ' or ', never, leaf);
    case 'not':
      // A comparison with null is neither true nor false; its negation must be true.
      return `not coalesce(${conditionOf(criterion.part, leaf)}, false)`;
    case 'text':
    case 'qualifier':
      return leaf(criterion);
  }
}

function joined(
  parts: readonly Criterion[],
  operator: string,
  empty: string,
  leaf: LeafCondition,
): string {
  if (parts.length === 0) return empty;
  return `(${parts.map((part) => conditionOf(part, leaf)).join(operator)})`;
}

type LeafCondition = (leaf: Extract<Criterion, { kind: 'text' | 'qualifier' }>) => string;

/** Which repositories (alias `r`) a search may show; the permissions are those that an installation needs, any of them. */
export function readableRepositories(
  { accountId, seesPrivate, covers }: Searcher,
  needed: readonly AppPermissionName[],
  { bind }: Parameters,
): string {
  const open = [`r.private = 0`];
  if (seesPrivate) {
    const me = bind(accountId);
    open.push(
      `r.owner_id = ${me}`,
      `exists (select 1 from collaborators c where c.repository_id = r.id and c.account_id = ${me})`,
      `exists (select 1 from organization_members m where m.organization_id = r.owner_id and m.user_id = ${me})`,
      `exists (select 1 from team_grants g where g.repository_id = r.id and g.account_id = ${me})`,
    );
  }
  if (covers && needed.some((name) => covers.reads.has(name))) {
    const { repositoryIds } = covers;
    const chosen =
      repositoryIds === 'all'
        ? ''
        : ` and r.id in (${[...repositoryIds].map(bind).join(', ') || 'null'})`;
    open.push(`(r.owner_id = ${bind(covers.accountId)}${chosen})`);
  }
  return `r.state = 'ready' and (${open.join(' or ')})`;
}

/** `repo:`, `user:` and `org:` of repositories (aliases `r`, and `o` of the owner). */
export function scopeCondition(
  name: string,
  values: readonly string[],
  me: number,
  { bind }: Parameters,
): string {
  const conditions = values.map((value) => {
    if (name === 'repo') {
      const [owner = '', repository = '', ...more] = value.split('/');
      if (more.length > 0) return never;
      return `(o.login_key = ${bind(caseless(owner))} and r.name_key = ${bind(caseless(repository))})`;
    }
    if (value === '@me') return `r.owner_id = ${bind(me)}`;
    return `o.login_key = ${bind(caseless(value))}`;
  });
  return `(${conditions.join(' or ') || never})`;
}

/** A text anywhere in a column, whatever the case of its letters. */
export function containsText(column: string, text: string, { bind }: Parameters): string {
  const lower = text.toLowerCase();
  // `lower` of SQLite leaves letters that are not ASCII as they are.
  const variants = new Set([lower, upperBeyondAscii(lower), upperFirstBeyondAscii(lower)]);
  const conditions = [...variants].map((variant) => {
    const pattern = `%${variant.replaceAll(/[%_!]/g, '!$&')}%`;
    return `lower(${column}) like ${bind(pattern)} escape '!'`;
  });
  return conditions.length === 1 ? (conditions[0] ?? never) : `(${conditions.join(' or ')})`;
}

function upperBeyondAscii(text: string): string {
  return text.replaceAll(/[^\0-\x7f]/gu, (letter) => letter.toUpperCase());
}

function upperFirstBeyondAscii(text: string): string {
  return text.replace(/(?<!\p{L})[^\0-\x7f]/u, (letter) => letter.toUpperCase());
}

export function withinRanges(
  column: string,
  ranges: readonly Range[],
  { bind }: Parameters,
): string {
  const conditions = ranges.map(({ from, to }) => {
    const ends = [
      ...(from === undefined ? [] : [`${column} >= ${bind(from)}`]),
      ...(to === undefined ? [] : [`${column} <= ${bind(to)}`]),
    ];
    return ends.length === 0 ? `${column} is not null` : `(${ends.join(' and ')})`;
  });
  return `(${conditions.join(' or ') || never})`;
}

export const unreachableScopes =
  'The listed users and repositories cannot be searched either because the resources do not exist or you do not have permission to view them.';

/** Refuses a query whose repositories and owners are all absent or hidden, with the message of GitHub. */
export async function requireReachableScopes(
  sql: Sql,
  criterion: Criterion,
  searcher: Searcher,
): Promise<void> {
  const scopes = leavesOf(criterion).flatMap((leaf) =>
    leaf.kind === 'qualifier' && ['repo', 'user', 'org'].includes(leaf.name) ? [leaf] : [],
  );
  if (scopes.length === 0) return;
  const parameters = new Parameters();
  const repositories = scopes.filter(({ name }) => name === 'repo');
  const owners = scopes.flatMap(({ name, values }) => (name === 'repo' ? [] : values));
  const logins = owners.map((value) => parameters.bind(caseless(value)));
  const conditions = [
    ...(owners.includes('@me') ? ['1 = 1'] : []),
    ...(logins.length > 0
      ? [`exists (select 1 from accounts a where a.login_key in (${logins.join(', ')}))`]
      : []),
    ...repositories.map(({ name, values }) => {
      const condition = scopeCondition(name, values, searcher.accountId, parameters);
      return `exists (select 1 from repositories r join accounts o on o.id = r.owner_id
        where ${condition} and ${readableRepositories(searcher, ['metadata'], parameters)})`;
    }),
  ];
  const row = await sql.get<{ found: number }>(
    `select 1 as found where ${conditions.join(' or ')}`,
    ...parameters.values,
  );
  if (!row) throw new SearchQueryError(unreachableScopes);
}
