import { present } from '#platform/present.ts';

import { signatureHeaders } from './signature-headers.ts';
import { algorithm, computeSignature, deriveKey } from '#platform/sigv4/compute-signature.ts';
import { canonicalPath, canonicalQuery, readQueryParameters } from '#platform/sigv4/canonical.ts';
import { scopeTerminator } from './credential-scope.ts';
import { payloadHash } from './payload-hash.ts';
import { basicTime } from './signing-time.ts';

/** The credentials with which this server signs its own requests. */
export interface AccessKey {
  readonly id: string;
  readonly secret: string;
  readonly sessionToken?: string;
}

/** A request of this server to another service. */
export interface OutgoingRequest {
  readonly method: string;
  readonly url: string;
  /** By names in lower case; all of them are signed. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface SigningTerms {
  readonly key: AccessKey;
  readonly region: string;
  /** As scopes name it: `sqs`. */
  readonly service: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The headers of the request, and those that sign it. */
export function signRequest(
  { method, url, headers, body }: OutgoingRequest,
  { key, region, service, now }: SigningTerms,
): Readonly<Record<string, string>> {
  const { host, pathname, search } = new URL(url);
  const time = basicTime(now);
  const scope = [time.slice(0, 8), region, service, scopeTerminator].join('/');
  const sent = {
    ...headers,
    [signatureHeaders.signedDate]: time,
    ...present({ [signatureHeaders.sessionToken]: key.sessionToken }),
  };
  const signed = Object.entries({ ...sent, [signatureHeaders.host]: host }).toSorted(
    ([name], [other]) => (name < other ? -1 : 1),
  );
  const signedHeaders = signed.map(([name]) => name);
  const signature = computeSignature(
    {
      method,
      path: canonicalPath(pathname),
      query: canonicalQuery(readQueryParameters(search.slice(1))),
      headers: signed.map(([name, value]) => `${name}:${value}\n`).join(''),
      signedHeaders,
      payloadHash: payloadHash(Buffer.from(body)),
    },
    { time, scope },
    deriveKey(key.secret, scope),
  );
  return {
    ...sent,
    [signatureHeaders.authorization]: `${algorithm} Credential=${key.id}/${scope}, SignedHeaders=${signedHeaders.join(';')}, Signature=${signature.toString('hex')}`,
  };
}
