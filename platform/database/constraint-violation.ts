/** Whether a statement failed because a row with the same unique key exists, on either engine. */
export function uniqueViolation(error: unknown): boolean {
  return violates(error, sqliteUniqueCodes, '23505');
}

/** Whether a statement failed because a row that it refers to does not exist, on either engine. */
export function foreignKeyViolation(error: unknown): boolean {
  return violates(error, sqliteForeignKeyCodes, '23503');
}

/** SQLITE_CONSTRAINT_UNIQUE, _PRIMARYKEY and _ROWID. */
const sqliteUniqueCodes = [2067, 1555, 2579];
/** SQLITE_CONSTRAINT_FOREIGNKEY. */
const sqliteForeignKeyCodes = [787];

function violates(error: unknown, sqliteCodes: readonly number[], postgresCode: string): boolean {
  if (!(error instanceof Error)) return false;
  if ('errcode' in error) return sqliteCodes.includes(Number(error.errcode));
  return 'code' in error && error.code === postgresCode;
}
