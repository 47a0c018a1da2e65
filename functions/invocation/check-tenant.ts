import { invalidParameter } from '../conventions/functions-error.ts';
import type { Subject } from '../environments/subject.ts';

/** A function that keeps its tenants apart must know for whom it runs, and another has no tenants. */
export function checkTenant(
  { configuration }: Pick<Subject, 'configuration'>,
  tenantId: string | undefined,
): void {
  const isolated = configuration.TenancyConfig?.TenantIsolationMode === 'PER_TENANT';
  if (isolated === (tenantId !== undefined)) return;
  throw invalidParameter(
    isolated
      ? 'The invoked function keeps its tenants apart. Add a valid tenant ID to your request and try again.'
      : 'The invoked function does not keep tenants apart. Remove the tenant ID from your request and try again.',
  );
}
