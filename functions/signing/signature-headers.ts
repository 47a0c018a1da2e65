import type { ParsedHead } from './request-head.ts';
import { invalidSignature } from './signature-refusals.ts';

/** The headers that Signature Version 4 defines, in lower case. */
export const signatureHeaders = {
  authorization: 'authorization',
  host: 'host',
  authority: ':authority',
  date: 'date',
  signedDate: 'x-amz-date',
  payloadHash: 'x-amz-content-sha256',
  sessionToken: 'x-amz-security-token',
} as const;

/** Headers with this prefix affect the service, so they must be signed if they are sent. */
const meaningfulHeaderPrefix = 'x-amz-';

/** The parameters of a presigned query. */
export const signatureParameters = {
  algorithm: 'X-Amz-Algorithm',
  credential: 'X-Amz-Credential',
  date: 'X-Amz-Date',
  expires: 'X-Amz-Expires',
  signedHeaders: 'X-Amz-SignedHeaders',
  sessionToken: 'X-Amz-Security-Token',
  payloadHash: 'X-Amz-Content-Sha256',
  signature: 'X-Amz-Signature',
} as const;

/**
 * Refuses a signature that does not cover the host, or a header that affects the service: an attacker in between could add or change
 * it.
 */
export function checkSignedHeaders({ headers }: ParsedHead, signed: readonly string[]): void {
  if (!signed.includes(signatureHeaders.host) && !signed.includes(signatureHeaders.authority)) {
    throw invalidSignature(
      "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.",
    );
  }
  for (const name of headers.keys()) {
    if (name.startsWith(meaningfulHeaderPrefix) && !signed.includes(name)) {
      throw invalidSignature(`'${name}' must be a 'SignedHeader' in the AWS Authorization.`);
    }
  }
}

/** The lines of the signed headers, in the order of their list. */
export function canonicalHeaders({ headers }: ParsedHead, signed: readonly string[]): string {
  let lines = '';
  for (const name of signed) {
    const source = name === signatureHeaders.authority ? signatureHeaders.host : name;
    lines += `${name}:${headers.get(source) ?? ''}\n`;
  }
  return lines;
}
