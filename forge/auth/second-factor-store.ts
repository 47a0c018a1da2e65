import type { Sql } from '#platform/database/database.ts';

export interface SecondFactor {
  readonly secret: Uint8Array;
}

export async function findSecondFactor(
  sql: Sql,
  accountId: number,
): Promise<SecondFactor | undefined> {
  const row = await sql.get<{ secret: string }>(
    `select secret from second_factors where account_id = $1`,
    accountId,
  );
  return row && { secret: Buffer.from(row.secret, 'hex') };
}

/** Marks the code of a step as used; false: that code, or a later one, was used before. */
export async function useStep(sql: Sql, accountId: number, step: number): Promise<boolean> {
  const row = await sql.get(
    `update second_factors set last_step = $2 where account_id = $1 and last_step < $2
     returning account_id`,
    accountId,
    step,
  );
  return row !== undefined;
}

/** Uses a recovery code up; false: there is no such code. */
export async function useRecoveryCode(
  sql: Sql,
  accountId: number,
  sha256: string,
): Promise<boolean> {
  const row = await sql.get(
    `delete from recovery_codes where account_id = $1 and sha256 = $2 returning account_id`,
    accountId,
    sha256,
  );
  return row !== undefined;
}

export async function insertSecondFactor(
  sql: Sql,
  factor: {
    accountId: number;
    secret: Uint8Array;
    recoverySha256s: readonly string[];
    now: number;
  },
): Promise<void> {
  await sql.run(
    `insert into second_factors (account_id, secret, created_at) values ($1, $2, $3)`,
    factor.accountId,
    Buffer.from(factor.secret).toString('hex'),
    factor.now,
  );
  for (const sha256 of factor.recoverySha256s) {
    await sql.run(
      `insert into recovery_codes (account_id, sha256) values ($1, $2)`,
      factor.accountId,
      sha256,
    );
  }
  await noteChange(sql, factor.accountId, factor.now);
}

/** false: there was none. */
export async function deleteSecondFactor(
  sql: Sql,
  accountId: number,
  now: number,
): Promise<boolean> {
  await sql.run(`delete from recovery_codes where account_id = $1`, accountId);
  const row = await sql.get(
    `delete from second_factors where account_id = $1 returning account_id`,
    accountId,
  );
  if (row === undefined) return false;
  await noteChange(sql, accountId, now);
  return true;
}

/** The user's own profile shows whether there is one. */
async function noteChange(sql: Sql, accountId: number, now: number): Promise<void> {
  await sql.run(`update accounts set updated_at = $2 where id = $1`, accountId, now);
}
