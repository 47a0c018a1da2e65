import type { Sql } from '#platform/database/database.ts';

import { refuseIntegration } from '../../errors/api-error.ts';
import {
  type AppPermissions,
  includesAny,
  type InstallationGrant,
  type RequiredPermission,
} from '../../model/app.ts';
import { issueKind } from './issue-kind-store.ts';

/** Lists that show issues and pulls together, and cannot leave one of them out. */
const mixedLists: ReadonlySet<string> = new Set([
  'issues/list-comments-for-repo',
  'issues/list-events-for-repo',
]);

/**
 * Pulls are issues, and share operations with them. The permission `issues` does not open pulls, nor `pull_requests` issues:
 * refuses operations on those of the other kind.
 */
export async function refuseOtherKind(
  sql: Sql,
  { permissions }: InstallationGrant,
  required: readonly RequiredPermission[],
  request: {
    readonly repositoryId: number;
    readonly operation: string;
    readonly parameters: Readonly<Record<string, string>>;
  },
): Promise<void> {
  if (!required.some(([name]) => name === 'issues')) return;
  if (!required.some(([name]) => name === 'pull_requests')) return;
  const lacks = (wanted: 'issues' | 'pull_requests'): boolean =>
    !includesAny(
      permissions,
      required.filter(([name]) => name === wanted),
    );
  const kind = await issueKind(sql, request.repositoryId, request.parameters);
  const mixed = mixedLists.has(request.operation);
  if ((kind === 'issue' || mixed) && lacks('issues')) refuseIntegration();
  if ((kind === 'pull' || mixed) && lacks('pull_requests')) refuseIntegration();
}

/** Which of them a list may show; undefined for both. */
export function visibleKind(permissions: AppPermissions): 'issues' | 'pulls' | undefined {
  const { issues, pull_requests: pulls } = permissions;
  if (issues !== undefined && pulls !== undefined) return undefined;
  return issues === undefined ? 'pulls' : 'issues';
}
