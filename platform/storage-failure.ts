/**
 * Why something cannot be stored or read now although the request is valid. The services turn it into
 * answers: 507 (RFC 4918, 11.5) and 503.
 */
export type StorageFailure = 'disk-full' | 'unavailable';

/** The database is unreachable or disconnected: what was sent last may have happened. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';

  constructor(cause: unknown) {
    super('The database cannot be reached.', { cause });
  }
}

/** Looks for the failure in an error and in what caused it; undefined: it is another fault. */
export function storageFailure(error: unknown): StorageFailure | undefined {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (each instanceof DatabaseUnavailableError || isRefused(each)) return 'unavailable';
    if (saysDiskFull(each)) return 'disk-full';
  }
  return undefined;
}

/** Whether what else is written now fails as well, because it is not one statement or transaction that PostgreSQL gave up. */
export function failsEveryWrite(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause)
    if (each instanceof DatabaseUnavailableError || saysDiskFull(each)) return true;
  return false;
}

/** The message for the client. */
export const storageSentences: Readonly<Record<StorageFailure, string>> = {
  'disk-full':
    'The disk of the server is full: only reads are possible. Try again after the operator has freed disk space.',
  unavailable:
    'The database is unavailable. Try again later; the last request may have taken effect.',
};

/**
 * Whether the message of another program says that it could not write: the C library's texts for ENOSPC and EDQUOT, and git's own for
 * ENOSPC in the index of a pack (csum-file.c).
 */
export function isDiskFullMessage(text: string): boolean {
  return /No space left on device|Disk quota exceeded|Out of diskspace/.test(text);
}

function saysDiskFull(error: Error): boolean {
  const code: unknown = 'code' in error ? error.code : undefined;
  if (typeof code === 'string' && diskFullCodes.includes(code)) return true;
  return 'errcode' in error && sqliteFullCodes.includes(Number(error.errcode));
}

/** Whether PostgreSQL gave up a valid statement or transaction; another attempt may succeed. */
function isRefused(error: Error): boolean {
  return 'code' in error && refusalCodes.includes(String(error.code));
}

/** serialization_failure and deadlock_detected. */
export const serializationFailureCodes: readonly string[] = ['40001', '40P01'];

const refusalCodes: readonly string[] = [
  // The last of many attempts failed as well.
  ...serializationFailureCodes,
  // query_canceled and lock_not_available: a statement waited too long, such as for a row that a server locked and then stood still.
  '57014',
  '55P03',
  // insufficient_resources and out_of_memory.
  '53000',
  '53200',
];

/** The system's, and PostgreSQL's disk_full. */
const diskFullCodes: readonly string[] = ['ENOSPC', 'EDQUOT', '53100'];
/** SQLITE_FULL, and SQLITE_IOERR_SHMSIZE: the file that connections share its log by could not grow. */
const sqliteFullCodes: readonly number[] = [13, 4874];
