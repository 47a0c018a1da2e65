import { errorCode } from '#platform/error-code.ts';
import { OperatorError } from '#platform/operator-error.ts';

/** A file or folder that a start cannot make, read or write is the operator's to put right; its path says more than a stack. */
export function startFailure(error: unknown): unknown {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (each instanceof OperatorError) return error;
    if (!isOfFile(each)) continue;
    return new OperatorError(
      `Hob cannot start: ${each.message}. Check the space and the permissions there, then start Hob again.`,
      { cause: error },
    );
  }
  return error;
}

/** A write to an open file fails without its path. */
function isOfFile(error: Error): boolean {
  if (!('syscall' in error)) return false;
  return 'path' in error || ['ENOSPC', 'EDQUOT', 'EIO'].includes(errorCode(error) ?? '');
}
