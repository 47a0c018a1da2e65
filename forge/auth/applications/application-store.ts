import type { Sql } from '#platform/database/database.ts';

import { parseScopes } from '../credential-store.ts';
import type { Scope } from '../../model/scopes.ts';
import type { Application, Grant } from '../../model/application.ts';

export interface ApplicationRow {
  id: number;
  name: string;
  client_id: string;
  secret_sha256: string;
  callback_url: string | null;
}

export const applicationColumns = 'p.id, p.name, p.client_id, p.secret_sha256, p.callback_url';

export async function applicationByClientId(
  sql: Sql,
  clientId: string,
): Promise<Application | undefined> {
  const row = await sql.get<ApplicationRow>(
    `select ${applicationColumns} from applications p where p.client_id = $1`,
    clientId,
  );
  return row && applicationFromRow(row);
}

export async function findGrant(
  sql: Sql,
  accountId: number,
  applicationId: number,
): Promise<Grant | undefined> {
  const row = await sql.get<{ scopes: string; created_at: number }>(
    `select scopes, created_at from application_grants
     where account_id = $1 and application_id = $2`,
    accountId,
    applicationId,
  );
  return row && { scopes: parseScopes(row.scopes), createdAt: row.created_at };
}

/** All grants of an account, newest first. */
export async function listGrants(
  sql: Sql,
  accountId: number,
): Promise<{ application: Application; grant: Grant }[]> {
  const rows = await sql.all<ApplicationRow & { scopes: string; created_at: number }>(
    `select ${applicationColumns}, g.scopes, g.created_at
     from application_grants g join applications p on p.id = g.application_id
     where g.account_id = $1 order by g.created_at desc, p.id desc`,
    accountId,
  );
  return rows.map((row) => ({
    application: applicationFromRow(row),
    grant: { scopes: parseScopes(row.scopes), createdAt: row.created_at },
  }));
}

export async function putGrant(
  sql: Sql,
  grant: { accountId: number; applicationId: number; scopes: readonly Scope[]; now: number },
): Promise<void> {
  await sql.run(
    `insert into application_grants (account_id, application_id, scopes, created_at)
     values ($1, $2, $3, $4)
     on conflict (account_id, application_id) do update set scopes = excluded.scopes`,
    grant.accountId,
    grant.applicationId,
    JSON.stringify(grant.scopes),
    grant.now,
  );
}

/** false if there was none. Also deletes its unused codes, of either flow. */
export async function deleteGrant(
  sql: Sql,
  accountId: number,
  applicationId: number,
): Promise<boolean> {
  for (const table of ['application_codes', 'device_codes']) {
    await sql.run(
      `delete from ${table} where account_id = $1 and application_id = $2`,
      accountId,
      applicationId,
    );
  }
  const row = await sql.get(
    `delete from application_grants where account_id = $1 and application_id = $2
     returning account_id`,
    accountId,
    applicationId,
  );
  return row !== undefined;
}

/** The authorization that a code stands for. */
export interface CodeMeaning {
  readonly accountId: number;
  readonly redirectUri: string;
  readonly scopes: readonly Scope[];
  readonly codeChallenge: string | null;
}

/** Also deletes expired codes. */
export async function insertCode(
  sql: Sql,
  code: CodeMeaning & { sha256: string; applicationId: number; now: number; expiresAt: number },
): Promise<void> {
  await sql.run(`delete from application_codes where expires_at <= $1`, code.now);
  await sql.run(
    `insert into application_codes
       (sha256, application_id, account_id, redirect_uri, scopes, code_challenge, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    code.sha256,
    code.applicationId,
    code.accountId,
    code.redirectUri,
    JSON.stringify(code.scopes),
    code.codeChallenge,
    code.expiresAt,
  );
}

/** Finds and consumes a code in one statement, so that only one of two exchanges gets a token. */
export async function redeemCode(
  sql: Sql,
  code: { sha256: string; applicationId: number; now: number },
): Promise<CodeMeaning | undefined> {
  const row = await sql.get<{
    account_id: number;
    redirect_uri: string;
    scopes: string;
    code_challenge: string | null;
  }>(
    `delete from application_codes where sha256 = $1 and application_id = $2 and expires_at > $3
     returning account_id, redirect_uri, scopes, code_challenge`,
    code.sha256,
    code.applicationId,
    code.now,
  );
  return (
    row && {
      accountId: row.account_id,
      redirectUri: row.redirect_uri,
      scopes: parseScopes(row.scopes),
      codeChallenge: row.code_challenge,
    }
  );
}

export function applicationFromRow(row: ApplicationRow): Application {
  return {
    id: row.id,
    name: row.name,
    clientId: row.client_id,
    secretSha256: row.secret_sha256,
    callbackUrl: row.callback_url,
  };
}
