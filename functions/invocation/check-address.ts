import { invalidParameter } from '../errors/functions-error.ts';
import type { VersionSpec } from '../environments/version-spec.ts';

/** How an invocation addresses a function. */
export interface Address {
  readonly tenantId: string | undefined;
  /** Whether it names a version or an alias. */
  readonly qualified: boolean;
}

/**
 * A function with tenant isolation requires a tenant id, and others take none. A durable function may run for so long that the
 * invocation must name a version.
 */
export function checkAddress(
  { configuration }: Pick<VersionSpec, 'configuration'>,
  { tenantId, qualified }: Address,
): void {
  if (configuration.DurableConfig && !qualified) {
    throw invalidParameter('You cannot invoke a durable function using an unqualified ARN.');
  }
  const isolated = configuration.TenancyConfig?.TenantIsolationMode === 'PER_TENANT';
  if (isolated === (tenantId !== undefined)) return;
  throw invalidParameter(
    isolated
      ? 'The invoked function uses tenant isolation. Add a valid tenant ID to your request and try again.'
      : 'The invoked function does not use tenant isolation. Remove the tenant ID from your request and try again.',
  );
}
