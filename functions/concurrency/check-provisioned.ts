import { concurrencyOfAccount, concurrencyUnreservedMin } from '#functions-contract/limits.ts';

import { latest } from '../configuration/function-record.ts';
import { invalidParameter } from '../errors/functions-error.ts';
import type { FunctionReference } from '../model/function-name.ts';

/** The version or alias of a reference that has one. */
export function readyQualifier(
  { qualifier = latest }: FunctionReference,
  unpublished: string,
): string {
  if (qualifier === latest) throw invalidParameter(unpublished);
  return qualifier;
}

export const mustBePublished =
  'The function resource provided must be an alias or a published version.';

export interface ConcurrencyLimits {
  /** Of the function itself. */
  readonly reserved: number | undefined;
  readonly reservedByAll: number;
  /** Execution environments that this host may have. */
  readonly environmentsMax: number;
}

/** Refuses more environments than the account, the function or this host may have. */
export function checkConcurrency(wanted: number, limits: ConcurrencyLimits): void {
  const unreserved = concurrencyOfAccount - limits.reservedByAll;
  if (limits.reserved === undefined && wanted > unreserved) {
    throw invalidParameter(
      `Specified ConcurrentExecutions for function is greater than account's unreserved concurrency [${unreserved}].`,
      { withoutFault: true },
    );
  }
  if (limits.reserved === undefined && unreserved - wanted < concurrencyUnreservedMin) {
    throw invalidParameter(
      `Specified ConcurrentExecutions for function decreases account's UnreservedConcurrentExecution below its minimum value of [${concurrencyUnreservedMin}].`,
      { withoutFault: true },
    );
  }
  if (limits.reserved !== undefined && wanted > limits.reserved) {
    throw invalidParameter(
      'Requested Provisioned Concurrency should not be greater than the reservedConcurrentExecution for function',
    );
  }
  if (wanted > limits.environmentsMax) {
    throw invalidParameter(
      `Specified ConcurrentExecutions for function is greater than the maximum number of execution environments of this server [${limits.environmentsMax}].`,
    );
  }
}
