import { readHeaderSignature } from './header-signature.ts';
import { readQuery } from './canonical-query.ts';
import { isPresigned, readQuerySignature } from './query-signature.ts';
import type { ParsedHead } from './request-head.ts';
import { signatureHeaders } from './signature-headers.ts';
import type { SignatureParts } from './parsed-signature.ts';

/** Undefined: nothing in the request claims to be a signature. */
export function readSignatureParts(head: ParsedHead): SignatureParts | undefined {
  const parameters = readQuery(head.query);
  const authorization = head.headers.get(signatureHeaders.authorization);
  if (authorization !== undefined) return readHeaderSignature(head, parameters, authorization);
  return isPresigned(parameters) ? readQuerySignature(head, parameters) : undefined;
}
