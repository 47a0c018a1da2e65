import { hash } from 'node:crypto';

import { invalidSignature, wrongSignature } from './signature-refusals.ts';

/** What a client sends instead of a hash when it does not sign the body. */
const unsignedPayload = 'UNSIGNED-PAYLOAD';

export type UnsignedPayloads = 'refused' | 'accepted';

/** Refuses what is no hash of the body, before the body is read. */
export function checkPayloadHash(
  claimedHash: string | undefined,
  unsigned: UnsignedPayloads,
): void {
  if (claimedHash === undefined || /^[0-9a-f]{64}$/.test(claimedHash)) return;
  if (claimedHash === unsignedPayload && unsigned === 'accepted') return;
  throw invalidSignature(
    `X-Amz-Content-Sha256 must be the SHA-256 of the body in lower-case hexadecimal digits, not '${claimedHash}'.`,
  );
}

/** A signed hash is of use only if the body matches it. */
export function verifyPayloadHash(claimedHash: string, body: Uint8Array): void {
  if (claimedHash !== unsignedPayload && claimedHash !== payloadHash(body)) throw wrongSignature();
}

export function payloadHash(body: Uint8Array): string {
  return hash('sha256', body, 'hex');
}
