import type { KeyRefusal } from '../keys/key-refusal.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import type { Variables } from './configuration.ts';
import { Secret } from '../keys/secret.ts';

declare const sealed: unique symbol;

/** Environment variables, encrypted: the only form in which they are stored. */
export type SealedVariables = string & { readonly [sealed]: true };

export type OpenedVariables =
  | { readonly kind: 'never-given' }
  | { readonly kind: 'open'; readonly variables: Secret<Variables> }
  /** Their key can no longer decrypt them. */
  | KeyRefusal;

export type Sealed = { readonly kind: 'sealed'; readonly variables: SealedVariables } | KeyRefusal;

/** Encrypts the variables of a function; its name is authenticated, so that no other ciphertext can replace them. */
export async function sealVariables(
  keys: KeyRing,
  functionName: string,
  variables: Secret<Variables>,
  keyArn: string | undefined,
): Promise<Sealed> {
  const plain = Buffer.from(JSON.stringify(variables.reveal()));
  const encrypted = await keys.encrypt(plain, keyArn, variablesContext(functionName));
  return encrypted.kind === 'refused'
    ? encrypted
    : { kind: 'sealed', variables: storedVariables(encrypted.sealed) };
}

export async function openVariables(
  keys: KeyRing,
  functionName: string,
  variables: SealedVariables | undefined,
): Promise<OpenedVariables> {
  if (variables === undefined) return { kind: 'never-given' };
  const opened = await keys.decrypt(variables, variablesContext(functionName));
  if (opened.kind === 'refused') return opened;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- sealed by this file, and authentic
  const plain = JSON.parse(Buffer.from(opened.plain).toString()) as Variables;
  return { kind: 'open', variables: new Secret(plain) };
}

/** The store contains only encrypted variables. */
export function storedVariables(text: string): SealedVariables {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a brand
  return text as SealedVariables;
}

/** The encryption context of a function's variables. */
export function variablesContext(functionName: string): string {
  return `environment of ${functionName}`;
}
