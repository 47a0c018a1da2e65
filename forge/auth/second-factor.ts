import type { Ports } from '../ports/ports.ts';
import { matchingStep } from './one-time-password.ts';
import { findSecondFactor, useRecoveryCode, useStep } from './second-factor-store.ts';
import { sha256 } from './token.ts';

export type SecondFactorResult = 'not-enrolled' | 'missing' | 'wrong' | 'right';

/**
 * Looks at the second factor of an account whose password was right. A code is used up by the very statement that finds
 * it unused, so that of two requests with the same code one comes in.
 */
export async function checkSecondFactor(
  { database, clock }: Pick<Ports, 'clock' | 'database'>,
  accountId: number,
  code: string | undefined,
): Promise<SecondFactorResult> {
  const factor = await database.read((sql) => findSecondFactor(sql, accountId));
  if (!factor) return 'not-enrolled';
  if (code === undefined || code.trim() === '') return 'missing';
  const typed = code.replaceAll(/[\s-]/g, '');
  const step = matchingStep(factor.secret, typed, clock.now());
  const used = await database.write((sql) =>
    step === undefined
      ? useRecoveryCode(sql, accountId, recoveryCodeHash(typed))
      : useStep(sql, accountId, step),
  );
  return used ? 'right' : 'wrong';
}

/** Of a recovery code however it is typed: in either case, with or without its dashes. */
export function recoveryCodeHash(code: string): string {
  return sha256(code.replaceAll(/[\s-]/g, '').toUpperCase());
}
