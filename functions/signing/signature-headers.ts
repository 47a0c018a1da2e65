/** The headers that Signature Version 4 speaks of, in lower case. */
export const signatureHeaders = {
  authorization: 'authorization',
  host: 'host',
  authority: ':authority',
  date: 'date',
  signedDate: 'x-amz-date',
  payloadHash: 'x-amz-content-sha256',
  sessionToken: 'x-amz-security-token',
} as const;

/** Headers that begin like this mean something to the service, so they must be signed when they are sent. */
export const meaningfulHeaderPrefix = 'x-amz-';

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
