import type { Sql } from '#platform/database/database.ts';

import { reviseAlias } from '../versions/alias-store.ts';
import { latest } from '../configuration/function-record.ts';
import { reviseVersion } from '../configuration/function-store.ts';
import { invalidParameter } from '../errors/functions-error.ts';
import type { FunctionReference } from '../model/function-name.ts';
import type { Qualified } from '../versions/find-qualified.ts';

/** What a policy belongs to, as its statements are stored under; empty for the function itself. */
export function policyQualifier({ qualifier = '' }: FunctionReference): string {
  return qualifier;
}

/** The unpublished version has no policy but the function's. */
export function checkPolicyQualifier({ qualifier }: FunctionReference): void {
  if (qualifier === latest) {
    throw invalidParameter('We currently do not support adding policies for $LATEST.');
  }
}

/** A policy has the revision of what it belongs to. */
export function revisionOf(target: Qualified): string {
  return target.kind === 'alias' ? target.alias.revisionId : target.version.revisionId;
}

export async function revise(sql: Sql, target: Qualified, revisionId: string): Promise<void> {
  if (target.kind === 'alias') await reviseAlias(sql, target.alias.id, revisionId);
  else await reviseVersion(sql, target.version.id, revisionId);
}
