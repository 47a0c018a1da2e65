import { OperatorError } from '#platform/operator-error.ts';

import { isolationTiers, type IsolationTier } from './isolation.ts';

/** Whether a host that isolates by this tier gives less than is required; nothing may be required. */
export function isWeakerThan(tier: IsolationTier, required: IsolationTier | undefined): boolean {
  return required !== undefined && isolationTiers.indexOf(tier) > isolationTiers.indexOf(required);
}

/** Refuses to start on a host that gives less than the operator requires. */
export function checkIsolation(tier: IsolationTier, required: IsolationTier | undefined): void {
  if (!isWeakerThan(tier, required)) return;
  throw new OperatorError(
    `This host isolates functions by the tier "${tier}", and "${required}" is required. hob doctor tells what is missing.`,
  );
}

/** Where nothing keeps a function from the host, it runs only when the operator says so. */
export function refusalToRun(tier: IsolationTier, insecureFunctions: boolean): string | undefined {
  return tier === 'bare' && !insecureFunctions
    ? 'This host cannot keep functions from itself, so none is run. hob doctor tells what is missing; --insecure-functions runs them all the same.'
    : undefined;
}
