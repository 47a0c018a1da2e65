import { OperatorError } from '#platform/operator-error.ts';

import { isolationTiers, type IsolationTier } from '../isolation.ts';

/** Whether a tier is weaker than the required one; undefined requires nothing. */
export function isWeakerThan(tier: IsolationTier, required: IsolationTier | undefined): boolean {
  return required !== undefined && isolationTiers.indexOf(tier) > isolationTiers.indexOf(required);
}

/** Refuses to start on a host that provides less isolation than the operator requires. */
export function checkIsolation(tier: IsolationTier, required: IsolationTier | undefined): void {
  if (!isWeakerThan(tier, required)) return;
  throw new OperatorError(
    `This host provides isolation tier "${tier}", but "${required}" is required. Run hob doctor to see what is missing.`,
  );
}

/** Without any isolation, functions run only if the operator allows it explicitly. */
export function refusalToRun(tier: IsolationTier, insecureFunctions: boolean): string | undefined {
  return tier === 'bare' && !insecureFunctions
    ? 'Functions are disabled: this host provides no isolation. Run hob doctor to see what is missing, or pass --insecure-functions.'
    : undefined;
}
