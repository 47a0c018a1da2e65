import { createCipheriv, createDecipheriv } from 'node:crypto';

/**
 * Encrypts with AES-256-GCM under a nonce of 12 random bytes. The context identifies the text and its owner: decryption requires the
 * same context, so that one secret cannot be substituted for another.
 */
export function seal(
  key: Uint8Array,
  plain: Uint8Array,
  context: string,
  nonce: Uint8Array,
): string {
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(context));
  const sealed = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return sealed.toString('base64url');
}

/** Undefined: encrypted with another key, for another context, or changed since. */
export function unseal(key: Uint8Array, sealed: string, context: string): Buffer | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length < nonceLength + tagLength) return undefined;
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceLength), {
    authTagLength: tagLength,
  });
  decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-tagLength));
  try {
    return Buffer.concat([
      decipher.update(bytes.subarray(nonceLength, -tagLength)),
      decipher.final(),
    ]);
  } catch {
    // Node reports a wrong tag by an error that has neither code nor class; nothing else can fail here.
    return undefined;
  }
}

/** The name of a service key in the texts encrypted with it. */
export function keyName(fingerprint: string): string {
  return fingerprint.slice(0, 16);
}

/** The name of the key in a sealed text; undefined in those from before the service key could be changed. */
export function sealerOf(sealed: string): string | undefined {
  return /^([0-9a-f]{16})\./.exec(sealed)?.[1];
}

export const nonceLength = 12;

const algorithm = 'aes-256-gcm';
const tagLength = 16;
