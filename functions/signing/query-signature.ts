import { signatureHeaders, signatureParameters } from './signature-headers.ts';
import { algorithm } from '#platform/sigv4/compute-signature.ts';
import type { Parameter } from '#platform/sigv4/canonical.ts';
import { readScope } from './credential-scope.ts';
import type { ParsedHead } from './request-head.ts';
import { incompleteSignature } from './signature-refusals.ts';
import { readSigningTime } from './signing-time.ts';
import type { SignatureParts } from './parsed-signature.ts';

/** Validity of a presigned request. */
const validSecondsMax = 604_800;

export function isPresigned(parameters: readonly Parameter[]): boolean {
  return parameters.some(([name]) => marks.includes(name));
}

/** Reads the signature of a presigned URL, and names all missing parameters. */
export function readQuerySignature(
  { headers }: ParsedHead,
  parameters: readonly Parameter[],
): SignatureParts {
  const named = onceNamed(parameters);
  const missing = required.filter((name) => !named.get(name));
  if (missing.length > 0) {
    const sentences = missing.map((name) => `AWS query-string parameters must include '${name}'. `);
    throw incompleteSignature(`${sentences.join('')}Re-examine the query-string parameters.`);
  }
  const value = (name: string): string => named.get(name) ?? '';
  if (value(signatureParameters.algorithm) !== algorithm) {
    throw incompleteSignature(
      `Unsupported AWS 'algorithm': '${value(signatureParameters.algorithm)}'.`,
    );
  }
  return {
    scope: readScope(value(signatureParameters.credential)),
    signedAt: readSigningTime(value(signatureParameters.date), false),
    validSeconds: readValidSeconds(value(signatureParameters.expires)),
    signedHeaders: value(signatureParameters.signedHeaders).split(';'),
    parameters: parameters.filter(([name]) => name !== signatureParameters.signature),
    sessionToken: named.get(signatureParameters.sessionToken),
    payloadHash:
      named.get(signatureParameters.payloadHash) ?? headers.get(signatureHeaders.payloadHash),
    signature: value(signatureParameters.signature),
  };
}

const marks: readonly string[] = [
  signatureParameters.algorithm,
  signatureParameters.credential,
  signatureParameters.signature,
];

const required: readonly string[] = [
  signatureParameters.algorithm,
  signatureParameters.credential,
  signatureParameters.date,
  signatureParameters.expires,
  signatureParameters.signedHeaders,
  signatureParameters.signature,
];

/** A parameter given twice counts as missing, since it would be ambiguous. */
function onceNamed(parameters: readonly Parameter[]): Map<string, string> {
  const named = new Map<string, string>();
  for (const [name, value] of parameters) named.set(name, named.has(name) ? '' : value);
  return named;
}

function readValidSeconds(text: string): number {
  const seconds = Number(text);
  if (/^\d{1,6}$/.test(text) && seconds >= 1 && seconds <= validSecondsMax) return seconds;
  throw incompleteSignature(
    `${signatureParameters.expires} must be a whole number of seconds from 1 to ${validSecondsMax}, not '${text}'`,
  );
}
