import type { FailureReasonCode } from '#functions-contract/state-codes.ts';

/** A key that is not there or must not be used now. Expected: keys are disabled to stop what they encrypt. */
export interface KeyRefusal {
  readonly kind: 'refused';
  readonly code: Extract<
    FailureReasonCode,
    'KMSKeyNotFound' | 'DisabledKMSKey' | 'InvalidStateKMSKey' | 'KMSKeyAccessDenied'
  >;
  /** The key service's own word, for texts of the form `KMS Exception: … KMS Message: …`. */
  readonly exception: string;
  /** A sentence about the key. */
  readonly message: string;
}

/** Why a key of the ring cannot be used. */
export type KeyTrouble = 'not found' | 'disabled' | 'pending deletion' | 'foreign';

export function refusedKey(trouble: KeyTrouble, arn: string): KeyRefusal {
  switch (trouble) {
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

/** The key is there, but what it should open was sealed by another one, or was changed. */
export function unreadable(key: string): KeyRefusal {
  return {
    kind: 'refused',
    code: 'KMSKeyAccessDenied',
    exception: 'InvalidCiphertextException',
    message: `Cannot decrypt stored data with ${key}.`,
  };
}

/** Told when an update names a key that cannot encrypt. */
export function encryptionSentence({ exception, message }: KeyRefusal): string {
  return `Lambda was unable to configure access to your environment variables because the KMS key is invalid for CreateGrant. Please check your KMS key settings. KMS Exception: ${exception} KMS Message: ${message}`;
}

/** Told in `Environment.Error` and in reasons, when what a function has cannot be read. */
export function decryptionSentence({ code, exception, message }: KeyRefusal): string {
  return `Lambda was unable to decrypt the environment variables because ${causes[code]}. Please check the function's KMS key settings. KMS Exception: ${exception} KMS Message: ${message}`;
}

const causes: Readonly<Record<KeyRefusal['code'], string>> = {
  KMSKeyNotFound: 'the KMS key was not found',
  DisabledKMSKey: 'the KMS key used is disabled',
  InvalidStateKMSKey: 'the state of the KMS key used is not valid for Decrypt',
  KMSKeyAccessDenied: 'KMS access was denied',
};
