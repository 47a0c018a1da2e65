import { type AppPermissionName, type AppPermissions, includesAny } from './app.ts';
import type { RepositoryEvent } from './domain-event.ts';

/** An installation with access to the repository of an event. */
export interface Subscriber {
  readonly appId: number;
  readonly permissions: AppPermissions;
  readonly events: readonly string[];
}

/**
 * Whether an App gets an event of a repository: it must subscribe to it, and have a permission that lets it read what the payload
 * shows, as GitHub documents for each event. https://docs.github.com/webhooks/webhook-events-and-payloads
 */
export function receives(
  subscriber: Subscriber,
  event: RepositoryEvent,
  isOfPull: boolean,
): boolean {
  const required = requiredPermissions(event, isOfPull).map((name) => [name, 'read'] as const);
  if (!includesAny(subscriber.permissions, required)) return false;
  if (event.event !== 'check_run' && event.event !== 'check_suite') {
    return subscriber.events.includes(event.event);
  }
  const writes = subscriber.permissions.checks === 'write';
  if (isForOneApp(event)) return writes && subscriber.appId === event.appId;
  // Apps that write checks are subscribed to both events without asking for them.
  return writes || subscriber.events.includes(event.event);
}

/** Whether an event asks the App of a check to do something: no other App and no webhook of the repository gets it. */
export function isForOneApp(event: RepositoryEvent): boolean {
  const isCheck = event.event === 'check_run' || event.event === 'check_suite';
  return isCheck && event.action !== 'created' && event.action !== 'completed';
}

/** Any of them is enough. */
function requiredPermissions(
  event: RepositoryEvent,
  isOfPull: boolean,
): readonly AppPermissionName[] {
  switch (event.event) {
    case 'ping':
    case 'repository':
    case 'star':
    case 'watch':
      return ['metadata'];
    case 'push':
    case 'create':
    case 'delete':
    case 'fork':
    case 'release':
    case 'commit_comment':
    case 'repository_dispatch':
      return ['contents'];
    case 'check_run':
    case 'check_suite':
      return ['checks'];
    case 'deploy_key':
      return ['administration'];
    case 'deployment':
    case 'deployment_status':
      return ['deployments'];
    case 'status':
      return ['statuses'];
    case 'issues':
      return ['issues'];
    case 'issue_comment':
      return [isOfPull ? 'pull_requests' : 'issues'];
    case 'label':
    case 'milestone':
      return ['issues', 'pull_requests'];
    case 'member':
      return ['members'];
    case 'pull_request':
    case 'pull_request_review':
    case 'pull_request_review_comment':
      return ['pull_requests'];
  }
}
