import { hostTime } from '#platform/clock.ts';

import type { AdministrationPorts, Ports } from '../ports/ports.ts';
import { resolveUser } from '../accounts/resolve-account.ts';
import { refuse } from '../errors/api-error.ts';
import { base32, enrolmentUrl, matchingStep } from './one-time-password.ts';
import {
  deleteSecondFactor,
  insertSecondFactor,
  findSecondFactor,
  useRecoveryCode,
  useStep,
} from './second-factor-store.ts';
import { sha256 } from './token.ts';

/** What the user needs; it is returned only once. */
export interface Enrolment {
  readonly login: string;
  /** For typing into an app. */
  readonly secret: string;
  /** For scanning. */
  readonly url: string;
  /** Each replaces a code once. */
  readonly recoveryCodes: readonly string[];
}

const secretBytes = 20;

/** Recovery codes of a second factor. */
const recoveryCodeCount = 10;

const recoveryCodeBytes = 10;

/** A secret for an authenticator app. */
export function newSecondFactor(ports: Pick<Ports, 'randomBytes'>): Uint8Array {
  return ports.randomBytes(secretBytes);
}

/** Enables two-factor authentication for a user who has proved with a code that the app has the secret. */
export async function enrol(
  ports: AdministrationPorts,
  { login, secret, code }: { login: string; secret: Uint8Array; code: string },
): Promise<Enrolment> {
  const step = matchingStep(secret, code.replaceAll(/\s/g, ''), hostTime(ports.clock));
  if (step === undefined) {
    return refuse({ kind: 'unprocessable', message: 'The code is wrong or expired.' });
  }
  return enableTwoFactor(ports, login, { secret, step });
}

/**
 * Requires a code in addition to the password. Replaces an existing enrolment, for users who lost their device, unless the user has
 * `proved` a new one: what replaces a second factor must not be weaker than it.
 */
export async function enableTwoFactor(
  ports: AdministrationPorts,
  login: string,
  proved?: { readonly secret: Uint8Array; readonly step: number },
): Promise<Enrolment> {
  const secret = proved?.secret ?? newSecondFactor(ports);
  const recoveryCodes = Array.from({ length: recoveryCodeCount }, () =>
    base32(ports.randomBytes(recoveryCodeBytes)).replaceAll(/.{4}(?=.)/g, '$&-'),
  );
  const now = ports.clock.now();
  const account = await ports.database.write(async (sql) => {
    const user = await resolveUser(sql, login, 'SecondFactor', 'login');
    if (proved && (await findSecondFactor(sql, user.id))) {
      return refuse({ kind: 'unprocessable', message: 'It is enabled already. Disable it first.' });
    }
    await deleteSecondFactor(sql, user.id, now);
    await insertSecondFactor(sql, {
      accountId: user.id,
      secret,
      recoverySha256s: recoveryCodes.map(recoveryCodeHash),
      now,
    });
    // The code has been used.
    if (proved) await useStep(sql, user.id, proved.step);
    return user;
  });
  return {
    login: account.login,
    secret: base32(secret),
    url: enrolmentUrl(account.login, secret),
    recoveryCodes,
  };
}

/** Requires only the password again. */
export async function disableTwoFactor(ports: AdministrationPorts, login: string): Promise<void> {
  const ended = await ports.database.write(async (sql) => {
    const user = await resolveUser(sql, login, 'SecondFactor', 'login');
    return deleteSecondFactor(sql, user.id, ports.clock.now());
  });
  if (!ended) {
    refuse({
      kind: 'unprocessable',
      message: `Two-factor authentication is not enabled for ${login}.`,
    });
  }
}

type SecondFactorResult = 'not-enrolled' | 'missing' | 'wrong' | 'right';

/**
 * Checks the second factor of an account whose password was right. The statement that finds a code also consumes it, so that
 * only one of two requests with the same code succeeds.
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
  const step = matchingStep(factor.secret, typed, hostTime(clock));
  const used = await database.write((sql) =>
    step === undefined
      ? useRecoveryCode(sql, accountId, recoveryCodeHash(typed))
      : useStep(sql, accountId, step),
  );
  return used ? 'right' : 'wrong';
}

/** Of a recovery code however it is typed: in either case, with or without its dashes. */
function recoveryCodeHash(code: string): string {
  return sha256(code.replaceAll(/[\s-]/g, '').toUpperCase());
}
