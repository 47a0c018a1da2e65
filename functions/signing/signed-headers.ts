import { meaningfulHeaderPrefix, signatureHeaders } from './signature-headers.ts';
import type { ParsedHead } from './request-head.ts';
import { invalidSignature } from './signature-refusals.ts';

/**
 * Refuses a signature that leaves out the host, or a header that the service heeds: whoever stands between could add or
 * change it.
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
