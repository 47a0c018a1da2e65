import { map, text } from '#functions-contract/shape.ts';
import type { Random } from '#platform/random.ts';
import type { RecordSiteAct } from '#platform/site-act.ts';

import { userArn } from '../signing/principal.ts';
import type { AuditLog } from './audit-log.ts';

/** Records acts in the audit log by the names that they have there, with the user whom requests to functions have. */
export function siteActRecorder({
  audit,
  random,
  settings,
}: {
  readonly audit: AuditLog;
  readonly random: Random;
  readonly settings: { readonly accountId: string };
}): RecordSiteAct {
  return ({ action, actor, from, parameters, errorCode }) =>
    audit.record({
      operation: { name: action, input: map(text, text, {}) },
      principal: { arn: userArn(settings.accountId, actor), accessKeyId: undefined },
      requestId: random.id(),
      sourceAddress: from,
      input: parameters,
      errorCode,
      revisionId: undefined,
      warnings: [],
    });
}
