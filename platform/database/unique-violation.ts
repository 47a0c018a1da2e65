/** Whether a statement failed because a row with the same unique key exists, on either engine. */
export function uniqueViolation(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('errcode' in error) return sqliteUniqueCodes.includes(Number(error.errcode));
  return 'code' in error && error.code === postgresUniqueCode;
}

/** SQLITE_CONSTRAINT_UNIQUE, _PRIMARYKEY and _ROWID. */
const sqliteUniqueCodes = [2067, 1555, 2579];
const postgresUniqueCode = '23505';
