import type { Sql } from '#platform/database/database.ts';
import { type PageBounds, selectPage } from '#platform/database/page-store.ts';

import { type AccountRow, accountColumns, accountFromRow } from '../accounts/account-store.ts';
import { type Account, caseless } from '../model/account.ts';

/** How much a site has of each. */
export interface SiteCounts {
  readonly users: number;
  readonly organizations: number;
  readonly repositories: number;
  readonly tokens: number;
  readonly sessions: number;
}

export async function siteCounts(sql: Sql, now: number): Promise<SiteCounts> {
  const row = await sql.get<SiteCounts>(
    `select (select count(*) from accounts where kind = 'user' and ${notBot}) as users,
       (select count(*) from accounts where kind = 'organization') as organizations,
       (select count(*) from repositories where state = 'ready') as repositories,
       (select count(*) from tokens) as tokens,
       (select count(*) from sessions where expires_at > $1) as sessions`,
    now,
  );
  if (!row) throw new Error('counting returned no row');
  return row;
}

/** Bots of Apps are stored as users; no login of a user has brackets. */
const notBot = `login_key not like '%[bot]'`;

/** The condition of a search by a part of the login of the account `a`, with `$1` for its value. */
export function loginContains(text: string): { condition: string; value: string } {
  return {
    condition: `a.login_key like $1 escape '!'`,
    value: `%${caseless(text).replaceAll(/[!%_]/g, '!$&')}%`,
  };
}

/** Users or organizations whose login contains the text, in the order of their logins. */
export async function searchAccounts(
  sql: Sql,
  { kind, text }: { readonly kind: 'user' | 'organization'; readonly text: string },
  page: PageBounds,
): Promise<{ accounts: Account[]; total: number }> {
  const { condition, value } = loginContains(text);
  const list = {
    columns: accountColumns,
    from: `accounts a where ${condition} and a.kind = $2 and a.${notBot}`,
    values: [value, kind],
    order: 'a.login_key',
  };
  const { rows, total } = await selectPage<AccountRow>(sql, list, page);
  return { accounts: rows.map(accountFromRow), total };
}

/** How many site administrators there are apart from this user. */
export async function otherSiteAdmins(sql: Sql, accountId: number): Promise<number> {
  const row = await sql.get<{ others: number }>(
    `select count(*) as others from accounts where site_admin = 1 and id <> $1`,
    accountId,
  );
  return row?.others ?? 0;
}

/** An application with an id and a secret, or a GitHub App. */
export interface ListedApplication {
  readonly name: string;
  readonly clientId: string;
  readonly createdAt: number;
  /** Tokens of an application, installations of an App. */
  readonly uses: number;
}

interface ApplicationRow {
  name: string;
  client_id: string;
  created_at: number;
  uses: number;
}

/** The newest first. */
export async function listApplications(
  sql: Sql,
  page: PageBounds,
): Promise<{ applications: ListedApplication[]; total: number }> {
  const columns = `p.name, p.client_id, p.created_at,
    (select count(*) from tokens t where t.application_id = p.id) as uses`;
  return applicationPage(sql, columns, 'applications p', page);
}

export async function listApps(
  sql: Sql,
  page: PageBounds,
): Promise<{ applications: ListedApplication[]; total: number }> {
  const columns = `p.name, p.client_id, p.created_at,
    (select count(*) from app_installations i where i.app_id = p.id) as uses`;
  return applicationPage(sql, columns, 'apps p', page);
}

async function applicationPage(
  sql: Sql,
  columns: string,
  from: string,
  page: PageBounds,
): Promise<{ applications: ListedApplication[]; total: number }> {
  const list = { columns, from, values: [], order: 'p.id desc' };
  const { rows, total } = await selectPage<ApplicationRow>(sql, list, page);
  const applications = rows.map((row) => ({
    name: row.name,
    clientId: row.client_id,
    createdAt: row.created_at,
    uses: row.uses,
  }));
  return { applications, total };
}

/** A webhook of a repository or an App whose last delivery failed. */
export interface FailingWebhook {
  readonly id: number;
  readonly url: string;
  /** `owner/name`; null: of an App. */
  readonly repository: string | null;
  readonly app: string | null;
  /** null: there was no response. */
  readonly code: number | null;
  readonly status: string;
  /** The newest delivery that has ended and was not taken; null: there is none. */
  readonly deliveryId: number | null;
  /** Deliveries that will be attempted. */
  readonly waiting: number;
}

export async function failingWebhooks(
  sql: Sql,
  page: PageBounds,
): Promise<{ webhooks: FailingWebhook[]; total: number }> {
  const list = {
    columns: `w.id, w.url, o.login as owner, r.name as name, p.name as app, w.last_code, w.last_status,
      (select max(d.id) from webhook_deliveries d where d.webhook_id = w.id and d.due_at is null and d.delivered_at is not null
        and (d.status_code is null or d.status_code < 200 or d.status_code >= 300)) as delivery_id,
      (select count(*) from webhook_deliveries d where d.webhook_id = w.id and d.due_at is not null) as waiting`,
    from: `webhooks w left join repositories r on r.id = w.repository_id
      left join accounts o on o.id = r.owner_id left join apps p on p.id = w.app_id
      where w.active = 1 and w.last_status is not null
        and (w.last_code is null or w.last_code < 200 or w.last_code >= 300)`,
    values: [],
    order: 'w.id desc',
  };
  const { rows, total } = await selectPage<{
    id: number;
    url: string;
    owner: string | null;
    name: string | null;
    app: string | null;
    last_code: number | null;
    last_status: string;
    delivery_id: number | null;
    waiting: number;
  }>(sql, list, page);
  const webhooks = rows.map((row) => ({
    id: row.id,
    url: row.url,
    repository: row.owner !== null && row.name !== null ? `${row.owner}/${row.name}` : null,
    app: row.app,
    code: row.last_code,
    status: row.last_status,
    deliveryId: row.delivery_id,
    waiting: row.waiting,
  }));
  return { webhooks, total };
}
