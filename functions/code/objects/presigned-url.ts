import { algorithm, computeSignature, deriveKey } from '#platform/sigv4/compute-signature.ts';
import { scopeTerminator } from '../../signing/credential-scope.ts';
import type { AccessKey } from '../../signing/sign-request.ts';
import { basicTime } from '../../signing/signing-time.ts';

export interface PresignedGet {
  /** `scheme://host[:port]`. */
  readonly endpoint: string;
  /** Not encoded; begins with a slash. */
  readonly path: string;
  readonly version: string | undefined;
  readonly region: string;
  readonly key: AccessKey;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly seconds: number;
}

/** A URL that allows reading one object for a limited time: Signature Version 4 in the query. */
export function presignedUrl(request: PresignedGet): string {
  const url = new URL(request.endpoint);
  const { sessionToken } = request.key;
  const time = basicTime(request.now);
  const scope = [time.slice(0, 8), request.region, 's3', scopeTerminator].join('/');
  const path = `${url.pathname.replace(/\/$/, '')}${request.path.split('/').map(encoded).join('/')}`;
  const query = [
    `X-Amz-Algorithm=${algorithm}`,
    `X-Amz-Credential=${encoded(`${request.key.id}/${scope}`)}`,
    `X-Amz-Date=${time}`,
    `X-Amz-Expires=${request.seconds}`,
    `X-Amz-SignedHeaders=host`,
    ...(request.version === undefined ? [] : [`versionId=${encoded(request.version)}`]),
    ...(sessionToken === undefined ? [] : [`X-Amz-Security-Token=${encoded(sessionToken)}`]),
  ]
    .toSorted()
    .join('&');
  const signature = computeSignature(
    {
      method: 'GET',
      path,
      query,
      headers: `host:${url.host}\n`,
      signedHeaders: ['host'],
      payloadHash: 'UNSIGNED-PAYLOAD',
    },
    { time, scope },
    deriveKey(request.key.secret, scope),
  );
  return `${url.origin}${path}?${query}&X-Amz-Signature=${signature.toString('hex')}`;
}

/** Encodes all but unreserved characters; encodeURIComponent leaves five more, and throws on lone surrogates. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
