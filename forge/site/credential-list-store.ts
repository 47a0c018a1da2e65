import type { Sql } from '#platform/database/database.ts';
import { type PageBounds, selectPage } from '#platform/database/page-store.ts';

import { parseScopes } from '../auth/credential-store.ts';
import type { Scope } from '../model/scopes.ts';
import { loginContains } from './administration-store.ts';

/** A token of any user. */
export interface SiteToken {
  readonly id: number;
  readonly login: string;
  readonly note: string | null;
  readonly scopes: readonly Scope[];
  readonly lastEight: string;
  /** The application that got it; null: the user or a site administrator made it. */
  readonly application: string | null;
  readonly issued: boolean;
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
}

interface TokenRow {
  id: number;
  login: string;
  note: string | null;
  scopes: string;
  last_eight: string;
  application: string | null;
  issuer_id: number | null;
  expires_at: number | null;
  last_used_at: number | null;
}

/** The tokens of the users whose login contains the text, the newest first. */
export async function listSiteTokens(
  sql: Sql,
  text: string,
  page: PageBounds,
): Promise<{ tokens: SiteToken[]; total: number }> {
  const { condition, value } = loginContains(text);
  const list = {
    columns: `t.id, a.login, t.note, t.scopes, t.last_eight, p.name as application, t.issuer_id, t.expires_at,
      t.last_used_at`,
    from: `tokens t join accounts a on a.id = t.account_id
      left join applications p on p.id = t.application_id where ${condition}`,
    values: [value],
    order: 't.id desc',
  };
  const { rows, total } = await selectPage<TokenRow>(sql, list, page);
  const tokens = rows.map((row) => ({
    id: row.id,
    login: row.login,
    note: row.note,
    scopes: parseScopes(row.scopes),
    lastEight: row.last_eight,
    application: row.application,
    issued: row.issuer_id !== null,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
  }));
  return { tokens, total };
}

/** The login of its user; undefined: there is no such token. */
export async function deleteSiteToken(sql: Sql, id: number): Promise<string | undefined> {
  const row = await sql.get<{ login: string }>(
    `select a.login from tokens t join accounts a on a.id = t.account_id where t.id = $1`,
    id,
  );
  await sql.run(`delete from tokens where id = $1`, id);
  return row?.login;
}

/** A key of any user or repository. */
export interface SiteKey {
  readonly id: number;
  readonly title: string;
  readonly fingerprint: string;
  /** Of the user, or who has added the deploy key. */
  readonly login: string;
  /** `owner/name` of a deploy key. */
  readonly repository: string | null;
  readonly readOnly: boolean;
  readonly lastUsedAt: number | null;
}

/** The keys that the users whose login contains the text have added, the newest first. */
export async function listSiteKeys(
  sql: Sql,
  text: string,
  page: PageBounds,
): Promise<{ keys: SiteKey[]; total: number }> {
  const { condition, value } = loginContains(text);
  const list = {
    columns: `k.id, k.title, k.fingerprint, a.login, o.login as owner, r.name, k.read_only, k.last_used_at`,
    from: `ssh_keys k join accounts a on a.id = k.added_by left join repositories r on r.id = k.repository_id
      left join accounts o on o.id = r.owner_id where ${condition}`,
    values: [value],
    order: 'k.id desc',
  };
  const { rows, total } = await selectPage<{
    id: number;
    title: string;
    fingerprint: string;
    login: string;
    owner: string | null;
    name: string | null;
    read_only: number;
    last_used_at: number | null;
  }>(sql, list, page);
  const keys = rows.map((row) => ({
    id: row.id,
    title: row.title,
    fingerprint: row.fingerprint,
    login: row.login,
    repository: row.owner !== null && row.name !== null ? `${row.owner}/${row.name}` : null,
    readOnly: row.read_only === 1,
    lastUsedAt: row.last_used_at,
  }));
  return { keys, total };
}

/** The login of the user who has added it; undefined: there is no such key. */
export async function deleteSiteKey(sql: Sql, id: number): Promise<string | undefined> {
  const row = await sql.get<{ login: string }>(
    `select a.login from ssh_keys k join accounts a on a.id = k.added_by where k.id = $1`,
    id,
  );
  await sql.run(`delete from ssh_keys where id = $1`, id);
  return row?.login;
}
