import { createHmac, hash, timingSafeEqual } from 'node:crypto';

import { algorithm } from './algorithm.ts';
import { canonicalPath } from './canonical-path.ts';
import { canonicalQuery } from './canonical-query.ts';
import type { ParsedHead } from './request-head.ts';
import type { SignatureParts } from './signature-parts.ts';
import { wrongSignature } from './signature-refusals.ts';
import { canonicalHeaders } from './signed-headers.ts';

/** Refuses a signature that the key did not make over this request. */
export function verifySignature(
  head: ParsedHead,
  parts: SignatureParts,
  key: Buffer,
  payloadHash: string,
): void {
  const canonical = [
    head.method,
    canonicalPath(head.path),
    canonicalQuery(parts.parameters),
    canonicalHeaders(head, parts.signedHeaders),
    parts.signedHeaders.join(';'),
    payloadHash,
  ].join('\n');
  // Every character is a byte of the request, see RequestHead.
  const digest = hash('sha256', Buffer.from(canonical, 'latin1'), 'hex');
  const text = `${algorithm}\n${parts.signedAt.text}\n${parts.scope.text}\n${digest}`;
  const expected = createHmac('sha256', key).update(text).digest();
  const given = Buffer.from(parts.signature, 'hex');
  if (!/^[0-9a-f]{64}$/.test(parts.signature) || !timingSafeEqual(given, expected)) {
    throw wrongSignature();
  }
}
