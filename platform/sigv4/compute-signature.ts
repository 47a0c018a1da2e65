// An import of node:crypto reads every export of it, and so starts Web Crypto, which the command-line client does not need.
const { createHmac, hash } = process.getBuiltinModule('node:crypto');

/** A request as it is signed; every character is a byte of it. */
export interface CanonicalRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** A line for each signed header, in the order of their names. */
  readonly headers: string;
  /** Their names. */
  readonly signedHeaders: readonly string[];
  /** SHA-256 of the body in hexadecimal, or a word of the protocol. */
  readonly payloadHash: string;
}

interface SignedFor {
  /** `YYYYMMDDTHHMMSSZ` */
  readonly time: string;
  /** `YYYYMMDD/region/service/aws4_request` */
  readonly scope: string;
}

/** Signature Version 4, for incoming and outgoing requests of the server and for those of the client. */
export function computeSignature(
  request: CanonicalRequest,
  signedFor: SignedFor,
  key: Buffer,
): Buffer {
  return createHmac('sha256', key)
    .update(stringToSign(canonicalText(request), signedFor))
    .digest();
}

export function canonicalText(request: CanonicalRequest): string {
  return [
    request.method,
    request.path,
    request.query,
    request.headers,
    request.signedHeaders.join(';'),
    request.payloadHash,
  ].join('\n');
}

export function stringToSign(canonical: string, { time, scope }: SignedFor): string {
  const digest = hash('sha256', Buffer.from(canonical, 'latin1'), 'hex');
  return `${algorithm}\n${time}\n${scope}\n${digest}`;
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
