import { readQueryParameters, type Parameter } from '#platform/sigv4/canonical.ts';
import { algorithm } from '#platform/sigv4/compute-signature.ts';

import { readScope, type CredentialScope } from './credential-scope.ts';
import type { ParsedHead } from './request-head.ts';
import { signatureHeaders, signatureParameters } from './signature-headers.ts';
import { incompleteSignature } from './signature-refusals.ts';
import { readSigningTime, type SigningTime } from './signing-time.ts';

/** Validity of a presigned request. */
const validSecondsMax = 604_800;

/** A request's signature as sent, in either form; not verified yet. */
export interface SignatureParts {
  readonly scope: CredentialScope;
  readonly signedAt: SigningTime;
  /** How long a presigned request is valid; undefined: as long as clocks may differ. */
  readonly validSeconds: number | undefined;
  /** The names as they were signed, in their order. */
  readonly signedHeaders: readonly string[];
  /** The query as far as it is signed. */
  readonly parameters: readonly Parameter[];
  readonly sessionToken: string | undefined;
  /** The body's hash as the client sends it; undefined: it is computed from the received bytes. */
  readonly payloadHash: string | undefined;
  readonly signature: string;
}

/** A request with both forms counts as signed in its header; undefined: it has neither. */
export function readSignature(head: ParsedHead): SignatureParts | undefined {
  const parameters = readQueryParameters(head.query);
  const authorization = head.headers.get(signatureHeaders.authorization);
  if (authorization !== undefined) return readHeaderSignature(head, parameters, authorization);
  return isPresigned(parameters) ? readQuerySignature(head, parameters) : undefined;
}

/** Reads `AWS4-HMAC-SHA256 Credential=…, SignedHeaders=…, Signature=…`, and names all missing parts. */
function readHeaderSignature(
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

function isPresigned(parameters: readonly Parameter[]): boolean {
  return parameters.some(([name]) => marks.includes(name));
}

const marks: readonly string[] = [
  signatureParameters.algorithm,
  signatureParameters.credential,
  signatureParameters.signature,
];

/** Reads the signature of a presigned URL, and names all missing parameters. */
function readQuerySignature(
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
