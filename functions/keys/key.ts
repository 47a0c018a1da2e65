import type { FailureReasonCode } from '#functions-contract/state-codes.ts';

import type { AccountRegion } from '../model/function-name.ts';

/** A key of the key ring. */
export interface Key {
  /** A UUID. */
  readonly id: string;
  readonly description: string;
  readonly enabled: boolean;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** When the key is destroyed; undefined: it stays. */
  readonly deletionAt: number | undefined;
}

type KeyState = 'enabled' | 'disabled' | 'pending deletion';

export function keyState(key: Key): KeyState {
  if (key.deletionAt !== undefined) return 'pending deletion';
  return key.enabled ? 'enabled' : 'disabled';
}

export function keyArn(accountRegion: AccountRegion, id: string): string {
  return `arn:aws:kms:${accountRegion.region}:${accountRegion.accountId}:key/${id}`;
}

/** The id in a key ARN of this account and region; undefined for any other ARN. */
export function keyIdOf(accountRegion: AccountRegion, arn: string): string | undefined {
  const prefix = keyArn(accountRegion, '');
  return arn.startsWith(prefix) ? arn.slice(prefix.length) : undefined;
}

/** A key that does not exist or must not be used now. This is expected: operators disable keys to block access. */
export interface KeyRefusal {
  readonly kind: 'refused';
  readonly code: Extract<
    FailureReasonCode,
    'KMSKeyNotFound' | 'DisabledKMSKey' | 'InvalidStateKMSKey' | 'KMSKeyAccessDenied'
  >;
  /** KMS's exception name, for messages of the form `KMS Exception: … KMS Message: …`. */
  readonly exception: string;
  /** The error message, about the key. */
  readonly message: string;
}

/** Why a key of the ring cannot be used. */
type KeyProblem = 'not found' | 'disabled' | 'pending deletion' | 'foreign';

export function refusedKey(problem: KeyProblem, arn: string): KeyRefusal {
  switch (problem) {
    case 'not found':
      return {
        kind: 'refused',
        code: 'KMSKeyNotFound',
        exception: 'NotFoundException',
        message: `Key '${arn}' does not exist`,
      };
    case 'disabled':
      return {
        kind: 'refused',
        code: 'DisabledKMSKey',
        exception: 'DisabledException',
        message: `${arn} is disabled.`,
      };
    case 'pending deletion':
      return {
        kind: 'refused',
        code: 'InvalidStateKMSKey',
        exception: 'KMSInvalidStateException',
        message: `${arn} is pending deletion.`,
      };
    case 'foreign':
      return {
        kind: 'refused',
        code: 'KMSKeyAccessDenied',
        exception: 'AccessDeniedException',
        message: `Key '${arn}' not found. To list the keys, run hob admin list-keys.`,
      };
  }
}

/** The key exists, but the ciphertext was encrypted with another one, or was changed. */
export function unreadable(key: string): KeyRefusal {
  return {
    kind: 'refused',
    code: 'KMSKeyAccessDenied',
    exception: 'InvalidCiphertextException',
    message: `Cannot decrypt stored data with ${key}.`,
  };
}

/** The message when an update names a key that cannot encrypt. */
export function encryptionErrorMessage({ exception, message }: KeyRefusal): string {
  return `Lambda was unable to configure access to your environment variables because the KMS key is invalid for CreateGrant. Please check your KMS key settings. KMS Exception: ${exception} KMS Message: ${message}`;
}

/** The message in `Environment.Error` and in state reasons when a function's variables cannot be decrypted. */
export function decryptionErrorMessage({ code, exception, message }: KeyRefusal): string {
  return `Lambda was unable to decrypt the environment variables because ${causes[code]}. Please check the function's KMS key settings. KMS Exception: ${exception} KMS Message: ${message}`;
}

const causes: Readonly<Record<KeyRefusal['code'], string>> = {
  KMSKeyNotFound: 'the KMS key was not found',
  DisabledKMSKey: 'the KMS key used is disabled',
  InvalidStateKMSKey: 'the state of the KMS key used is not valid for Decrypt',
  KMSKeyAccessDenied: 'KMS access was denied',
};
