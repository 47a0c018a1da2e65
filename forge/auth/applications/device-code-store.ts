import type { Sql } from '#platform/database/database.ts';

import type { Application } from '../../model/application.ts';
import type { Scope } from '../../model/scopes.ts';
import { parseScopes } from '../credential-store.ts';
import {
  type ApplicationRow,
  applicationColumns,
  applicationFromRow,
} from './application-store.ts';

/** What a program asks for, until its user has answered and it has its token. */
export interface DeviceCode {
  readonly sha256: string;
  readonly userCode: string;
  readonly applicationId: number;
  readonly scopes: readonly Scope[];
  /** The account that has answered; null before. */
  readonly accountId: number | null;
  readonly refused: boolean;
  readonly intervalSeconds: number;
  /** Milliseconds since the epoch. */
  readonly askedAt: number | null;
  readonly expiresAt: number;
}

export async function insertDeviceCode(
  sql: Sql,
  code: Pick<
    DeviceCode,
    'sha256' | 'userCode' | 'applicationId' | 'scopes' | 'intervalSeconds' | 'expiresAt'
  >,
): Promise<void> {
  await sql.run(
    `insert into device_codes (sha256, user_code, application_id, scopes, interval_seconds, expires_at)
     values ($1, $2, $3, $4, $5, $6)`,
    code.sha256,
    code.userCode,
    code.applicationId,
    JSON.stringify(code.scopes),
    code.intervalSeconds,
    code.expiresAt,
  );
}

/** Retained for some time after its expiry, so that programs that ask late get the right error. */
export async function deleteDeviceCodes(sql: Sql, expiredBefore: number): Promise<void> {
  await sql.run(`delete from device_codes where expires_at <= $1`, expiredBefore);
}

export async function countOpenDeviceCodes(
  sql: Sql,
  applicationId: number,
  now: number,
): Promise<number> {
  const row = await sql.get<{ count: number }>(
    `select count(*) as count from device_codes
     where application_id = $1 and expires_at > $2 and account_id is null`,
    applicationId,
    now,
  );
  return row?.count ?? 0;
}

interface DeviceCodeRow {
  sha256: string;
  user_code: string;
  application_id: number;
  device_scopes: string;
  account_id: number | null;
  refused: number;
  interval_seconds: number;
  asked_at: number | null;
  expires_at: number;
}

const columns = `d.sha256, d.user_code, d.application_id, d.scopes as device_scopes, d.account_id, d.refused,
  d.interval_seconds, d.asked_at, d.expires_at`;

/** By what the program holds, with the time of its last question. Locks the row until the transaction ends. */
export async function deviceCodeForProgram(
  sql: Sql,
  { sha256, applicationId, now }: { sha256: string; applicationId: number; now: number },
): Promise<DeviceCode | undefined> {
  await sql.run(`update device_codes set asked_at = asked_at where sha256 = $1`, sha256);
  const row = await sql.get<DeviceCodeRow>(
    `select ${columns} from device_codes d where d.sha256 = $1 and d.application_id = $2`,
    sha256,
    applicationId,
  );
  if (!row) return undefined;
  await sql.run(`update device_codes set asked_at = $2 where sha256 = $1`, sha256, now);
  return deviceCodeFromRow(row);
}

/** By what the user has typed; an unanswered one with its application. */
export async function openDeviceCode(
  sql: Sql,
  userCode: string,
  now: number,
): Promise<{ code: DeviceCode; application: Application } | undefined> {
  const row = await sql.get<DeviceCodeRow & ApplicationRow>(
    `select ${columns}, ${applicationColumns}
     from device_codes d join applications p on p.id = d.application_id
     where d.user_code = $1 and d.expires_at > $2 and d.account_id is null`,
    userCode,
    now,
  );
  return row && { code: deviceCodeFromRow(row), application: applicationFromRow(row) };
}

/** false if another has answered it meanwhile, or it has expired. */
export async function answerDeviceCode(
  sql: Sql,
  answer: { sha256: string; accountId: number; refused: boolean; now: number },
): Promise<boolean> {
  const changed = await sql.run(
    `update device_codes set account_id = $2, refused = $3
     where sha256 = $1 and account_id is null and expires_at > $4`,
    answer.sha256,
    answer.accountId,
    Number(answer.refused),
    answer.now,
  );
  return changed > 0;
}

export async function slowDown(sql: Sql, sha256: string, seconds: number): Promise<void> {
  await sql.run(
    `update device_codes set interval_seconds = interval_seconds + $2 where sha256 = $1`,
    sha256,
    seconds,
  );
}

/** false if another request has taken it. */
export async function deleteDeviceCode(sql: Sql, sha256: string): Promise<boolean> {
  return (await sql.run(`delete from device_codes where sha256 = $1`, sha256)) > 0;
}

function deviceCodeFromRow(row: DeviceCodeRow): DeviceCode {
  return {
    sha256: row.sha256,
    userCode: row.user_code,
    applicationId: row.application_id,
    scopes: parseScopes(row.device_scopes),
    accountId: row.account_id,
    refused: row.refused === 1,
    intervalSeconds: row.interval_seconds,
    askedAt: row.asked_at,
    expiresAt: row.expires_at,
  };
}
