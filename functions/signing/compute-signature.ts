import { createHmac, hash } from 'node:crypto';

/** A request as it is signed; every character is a byte of it. */
interface CanonicalRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** A line for each signed header, in the order of their names. */
  readonly headers: string;
  /** Their names. */
  readonly signedHeaders: readonly string[];
  readonly payloadHash: string;
}

interface SignedFor {
  /** `YYYYMMDDTHHMMSSZ` */
  readonly time: string;
  /** `YYYYMMDD/region/service/aws4_request` */
  readonly scope: string;
}

/** Signature Version 4, for incoming and outgoing requests. */
export function computeSignature(
  request: CanonicalRequest,
  { time, scope }: SignedFor,
  key: Buffer,
): Buffer {
  const canonical = [
    request.method,
    request.path,
    request.query,
    request.headers,
    request.signedHeaders.join(';'),
    request.payloadHash,
  ].join('\n');
  const digest = hash('sha256', Buffer.from(canonical, 'latin1'), 'hex');
  return createHmac('sha256', key).update(`${algorithm}\n${time}\n${scope}\n${digest}`).digest();
}

/** The key that signs in a scope. */
export function deriveKey(secret: string, scope: string): Buffer {
  return scope
    .split('/')
    .reduce(
      (key, part) => createHmac('sha256', key).update(part).digest(),
      Buffer.from(`AWS4${secret}`),
    );
}

/** The only supported algorithm: AWS's others are for services that span regions. */
export const algorithm = 'AWS4-HMAC-SHA256';
