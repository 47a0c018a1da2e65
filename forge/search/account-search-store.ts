import type { Sql } from '#platform/database/database.ts';

import { accountColumns, accountFromRow, type AccountRow } from '../accounts/account-store.ts';
import { type Account, caseless } from '../model/account.ts';
import type { Bounds } from './repository-search-store.ts';
import {
  conditionOf,
  containsText,
  never,
  Parameters,
  withinRanges,
} from './search-conditions-store.ts';
import { type Criterion, valuesOf } from './search-query.ts';
import { numberRange, timeRange } from './search-ranges.ts';

const fields = {
  login: 'a.login',
  name: `coalesce(a.name, '')`,
  email: `case when a.email_hidden = 1 then '' else coalesce(a.email, '') end`,
} as const;

const kinds: Readonly<Record<string, string>> = {
  user: `a.kind = 'user'`,
  org: `a.kind = 'organization'`,
  organization: `a.kind = 'organization'`,
};

/** Private ones are not counted: that would reveal them. */
const publicRepositories = `(select count(*) from repositories f
  where f.owner_id = a.id and f.private = 0 and f.state = 'ready')`;

const qualifiers: Readonly<Record<string, (value: string, parameters: Parameters) => string>> = {
  in: () => '1 = 1',
  type: (value) =>
    (Object.hasOwn(kinds, value.toLowerCase()) ? kinds[value.toLowerCase()] : undefined) ?? never,
  user: (value, { bind }) => `a.login_key = ${bind(caseless(value))}`,
  org: (value, { bind }) => `a.kind = 'organization' and a.login_key = ${bind(caseless(value))}`,
  fullname: (value, parameters) => containsText(fields.name, value, parameters),
  location: (value, parameters) => containsText(`coalesce(a.location, '')`, value, parameters),
  created: (value, parameters) => withinRanges('a.created_at', [timeRange(value)], parameters),
  repos: (value, parameters) => withinRanges(publicRepositories, [numberRange(value)], parameters),
};

export const accountQualifiers: ReadonlySet<string> = new Set(Object.keys(qualifiers));

const orders = { repositories: publicRepositories, joined: 'a.created_at', match: 'a.id' };

export interface AccountOrder {
  readonly by: keyof typeof orders;
  readonly descending: boolean;
}

/** One page of the users and organizations that meet the criterion, and their number. */
export async function findAccounts(
  sql: Sql,
  criterion: Criterion,
  order: AccountOrder,
  bounds: Bounds,
): Promise<{ accounts: Account[]; total: number }> {
  const parameters = new Parameters();
  const named = valuesOf(criterion, 'in');
  const columns = Object.entries(fields).flatMap(([name, column]) =>
    named.includes(name) ? [column] : [],
  );
  const condition = conditionOf(criterion, (leaf) => {
    if (leaf.kind === 'text') {
      const searched = columns.length > 0 ? columns : Object.values(fields);
      return `(${searched.map((column) => containsText(column, leaf.text, parameters)).join(' or ')})`;
    }
    const of = Object.hasOwn(qualifiers, leaf.name) ? qualifiers[leaf.name] : undefined;
    if (!of) return never;
    return `(${leaf.values.map((value) => of(value, parameters)).join(' or ') || never})`;
  });
  // The bots of Apps are neither.
  const from = `accounts a where a.login not like '%[bot]' and ${condition}`;
  const count = await sql.get<{ total: number }>(
    `select count(*) as total from ${from}`,
    ...parameters.values,
  );
  const direction = order.descending ? 'desc' : 'asc';
  const rows = await sql.all<AccountRow>(
    `select ${accountColumns} from ${from} order by ${orders[order.by]} ${direction}, a.id
     limit ${parameters.bind(bounds.size)} offset ${parameters.bind(bounds.offset)}`,
    ...parameters.values,
  );
  return { accounts: rows.map(accountFromRow), total: count?.total ?? 0 };
}
