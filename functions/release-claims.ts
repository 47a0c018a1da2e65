import type { Sql } from '#platform/database/database.ts';

import { releaseInvocations } from './durable-executions/chained-store.ts';
import { releaseExecutions } from './durable-executions/run-store.ts';
import { releaseClaims } from './events/event-store.ts';

/** Makes everything due at once that a server had claimed when it died. */
export async function releaseFunctionClaims(
  sql: Sql,
  serverId: string,
  now: number,
): Promise<void> {
  await releaseClaims(sql, 'function_events', serverId, now);
  await releaseClaims(sql, 'function_messages', serverId, now);
  await releaseClaims(sql, 'function_push_deployments', serverId, now);
  await releaseExecutions(sql, serverId, now);
  await releaseInvocations(sql, serverId, now);
}
