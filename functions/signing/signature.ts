import { timingSafeEqual } from 'node:crypto';

import { canonicalPath } from './canonical-path.ts';
import { canonicalQuery } from './canonical-query.ts';
import { computeSignature } from './compute-signature.ts';
import type { ParsedHead } from './request-head.ts';
import { wrongSignature } from './signature-refusals.ts';
import { canonicalHeaders } from './signed-headers.ts';
import type { SignatureParts } from './parsed-signature.ts';

/** Refuses a signature that the key did not make over this request. */
export function verifySignature(
  head: ParsedHead,
  parts: SignatureParts,
  key: Buffer,
  payloadHash: string,
): void {
  const expected = computeSignature(
    {
      method: head.method,
      path: canonicalPath(head.path),
      query: canonicalQuery(parts.parameters),
      headers: canonicalHeaders(head, parts.signedHeaders),
      signedHeaders: parts.signedHeaders,
      payloadHash,
    },
    { time: parts.signedAt.text, scope: parts.scope.text },
    key,
  );
  const given = Buffer.from(parts.signature, 'hex');
  if (!/^[0-9a-f]{64}$/.test(parts.signature) || !timingSafeEqual(given, expected)) {
    throw wrongSignature();
  }
}
