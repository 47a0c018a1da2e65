import { signatureHeaders, signatureParameters } from './signature-headers.ts';
import { algorithm } from '#platform/sigv4/compute-signature.ts';
import type { Parameter } from '#platform/sigv4/canonical.ts';
import { readScope } from './credential-scope.ts';
import type { ParsedHead } from './request-head.ts';
import { incompleteSignature } from './signature-refusals.ts';
import { readSigningTime } from './signing-time.ts';
import type { SignatureParts } from './parsed-signature.ts';

/** Reads `AWS4-HMAC-SHA256 Credential=…, SignedHeaders=…, Signature=…`, and names all missing parts. */
export function readHeaderSignature(
  { headers }: ParsedHead,
  parameters: readonly Parameter[],
  authorization: string,
): SignatureParts {
  const message = headerFields(authorization);
  const credential = message.get('Credential');
  const signature = message.get('Signature');
  const signedHeaders = message.get('SignedHeaders');
  const signedDate = headers.get(signatureHeaders.signedDate);
  const date = signedDate ?? headers.get(signatureHeaders.date);
  if (!credential || !signature || !signedHeaders || date === undefined) {
    const missing = [
      credential ? '' : "Authorization header requires 'Credential' parameter. ",
      signature ? '' : "Authorization header requires 'Signature' parameter. ",
      signedHeaders ? '' : "Authorization header requires 'SignedHeaders' parameter. ",
      date === undefined
        ? `Authorization header requires existence of either a '${signatureParameters.date}' or a 'Date' header. `
        : '',
    ];
    throw incompleteSignature(`${missing.join('')}Authorization=${authorization}`);
  }
  const named = authorization.slice(0, authorization.indexOf(' '));
  if (named !== algorithm) throw incompleteSignature(`Unsupported AWS 'algorithm': '${named}'.`);
  return {
    scope: readScope(credential),
    signedAt: readSigningTime(date, signedDate === undefined),
    validSeconds: undefined,
    signedHeaders: signedHeaders.split(';'),
    parameters,
    sessionToken: headers.get(signatureHeaders.sessionToken),
    payloadHash: headers.get(signatureHeaders.payloadHash),
    signature,
  };
}

/** The parts after the algorithm, in any order; a part given twice counts as missing. */
function headerFields(authorization: string): Map<string, string> {
  const message = new Map<string, string>();
  const start = authorization.indexOf(' ');
  for (const part of start < 0 ? [] : authorization.slice(start).split(',')) {
    const equals = part.indexOf('=');
    const name = part.slice(0, Math.max(equals, 0)).trim();
    message.set(name, message.has(name) ? '' : part.slice(equals + 1).trim());
  }
  return message;
}
